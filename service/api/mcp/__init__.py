"""The door of assistants: MCP, over HTTP at /mcp, or on standard input and output."""
