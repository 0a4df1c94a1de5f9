pytest_plugins = ["starmin.testing.fixtures"]
