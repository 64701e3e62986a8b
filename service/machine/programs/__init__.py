"""Programs that ask NVIDIA's libraries; each is run by its file's name, never imported."""
