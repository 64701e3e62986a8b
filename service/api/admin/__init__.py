"""The door of who runs the service, and of who asks what there is."""
