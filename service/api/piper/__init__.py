"""The door of piper's clients: POST /."""
