"""Books: read a file into chapters, narrate it so that nothing is lost, write what players open."""
