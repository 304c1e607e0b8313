"""What the model reads: messages, views, and the three headings."""
