"""The caller's text as a tree: blocks, inline spans, and leaves that tile the text.

`markdown.parse` makes the tree, `stream.Stream` makes it of a text that arrives in pieces, and
`spoken.flatten` writes its words in order, with the pauses that its structure asks for.
"""
