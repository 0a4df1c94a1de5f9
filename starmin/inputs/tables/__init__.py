"""Tables that a user names: read, looked at, and releases that lie beside them."""
