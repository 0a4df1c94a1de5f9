"""The rules of statistical offices, and the people whom they count."""
