"""What a program may ask of gg: one table of operations, one gate, and the bracket that every call goes through."""
