"""The output module of speech-dispatcher, through which Orca and others speak."""
