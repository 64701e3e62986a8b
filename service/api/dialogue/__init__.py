"""The door of POST /dialogue."""
