"""English, by the lexicons of misaki and rules of our own."""
