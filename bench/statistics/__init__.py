"""The prediction of AdaIN statistics."""
