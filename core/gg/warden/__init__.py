"""The process that alone forks: workers, and the precompile process. It imports wasmtime and never an arm."""
