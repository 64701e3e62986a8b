"""The door of ElevenLabs' clients: /v1/text-to-speech."""
