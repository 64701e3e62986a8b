"""The door of POST /synthesize and /phonemize."""
