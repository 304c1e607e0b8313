# `make demo` and `make test` do all the set-up on a fresh machine; the second time they are quick.
# `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := .build
export ZIG_GLOBAL_CACHE_DIR := $(CURDIR)/$(BUILD)/zig-global
export ZIG_LOCAL_CACHE_DIR := $(CURDIR)/$(BUILD)/zig-local
export PYRIGHT_PYTHON_CACHE_DIR := $(CURDIR)/$(BUILD)/pyright
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

PIP := $(BIN)/python -m pip install --quiet --constraint constraints.txt
DISTRIBUTIONS := --editable rust_ext --editable core --editable arms[build] --editable plugins/echo --editable plugins/timing
PROJECTS := $(wildcard core/pyproject.toml arms/pyproject.toml rust_ext/pyproject.toml plugins/*/pyproject.toml)
RUST := Cargo.toml Cargo.lock rust_ext/Cargo.toml $(shell find rust_ext/src rust_ext/build.rs -type f 2>/dev/null)

.PHONY: help demo test setup guests toolchains lint types rust pytest bench format clean

help: ## list the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

demo: guests ## run a recorded conversation, JavaScript then Python
	@$(BIN)/gg demo

test: guests $(VENV)/.dev lint types rust pytest ## check everything: lint, types, Rust, and all tests

setup: $(VENV)/.installed ## make .venv and build what it needs

guests: $(VENV)/.installed ## build the guests that are out of date
	@$(BIN)/python -m gg_arms.build --cache $(BUILD)

lint: $(VENV)/.dev ## ruff, rustfmt, clippy, the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cargo fmt --all --check
	PYO3_PYTHON=$(CURDIR)/$(BIN)/python cargo clippy --quiet --workspace --all-targets -- -D warnings
	PYTHONPATH=plugins/board $(BIN)/lint-imports --no-cache

types: $(VENV)/.dev ## mypy, pyright, and the extension's stub
	$(BIN)/mypy core/gg arms/gg_arms plugins/board/gg_board plugins/echo/gg_echo plugins/timing/gg_timing
	$(BIN)/pyright --level error
	$(BIN)/python -m mypy.stubtest gg_rust_ext

toolchains: guests ## build the toolchains of the arms that compile
	@XDG_CACHE_HOME=$(CURDIR)/$(BUILD)/cache $(BIN)/python -m gg_arms.warm

rust: $(VENV)/.dev ## the Rust extension's own tests
	cargo test --quiet --workspace --no-default-features

pytest: toolchains $(VENV)/.dev ## the Python tests
	XDG_CACHE_HOME=$(CURDIR)/$(BUILD)/cache GG_TEST_CACHE=$(CURDIR)/$(BUILD)/test-guests $(BIN)/python -m pytest

bench: guests $(VENV)/.dev ## print benchmarks, with their caveats
	GG_BENCH=1 $(BIN)/python -m pytest tests/benchmarks -s -q -p no:xdist

format: $(VENV)/.dev ## format the sources
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt --all

clean: ## remove everything that was built
	rm -rf $(VENV) $(BUILD) target
	find arms -name '*.wasm' -delete -o -name '*.stamp' -delete

$(VENV)/.python:
	@PYTHON=$(PYTHON) sh tools/prerequisites.sh
	@echo "Making $(VENV) and installing what builds need"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --requirement requirements-build.txt
	@touch $@

$(VENV)/.installed: $(VENV)/.python $(PROJECTS) $(RUST) constraints.txt
	@PYTHON=$(PYTHON) sh tools/prerequisites.sh
	@echo "Building the Rust extension and installing the packages (about a minute the first time)"
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) --no-build-isolation $(DISTRIBUTIONS)
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements-dev.txt
	@echo "Installing what the checks need"
	@$(PIP) --requirement requirements-dev.txt
	@touch $@
