"""English G2P: the lexicons of misaki and our own rules."""
