"""Japanese: Open JTalk says how text is read, and ours how that is written for Kokoro's voices."""
