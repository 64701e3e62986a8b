"""The door of OpenAI's clients: /v1."""
