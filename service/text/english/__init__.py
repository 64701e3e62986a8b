"""English, by the lexicon and the rules of misaki."""
