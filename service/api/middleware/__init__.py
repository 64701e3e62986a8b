"""Middleware between the network and the doors, one concern a module."""
