"""The door of the WebSocket /synthesize/stream."""
