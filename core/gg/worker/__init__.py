"""The process that runs one arm: it compiles and runs programs in wasmtime, one at a time, and holds nothing else."""
