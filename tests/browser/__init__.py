"""The demo in a real browser, under its Content-Security-Policy."""
