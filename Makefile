# Two commands do everything on a fresh machine: `make play` and `make test`.
# Each makes .venv if it is missing or stale, installs with pip from constraints.txt, and goes on.

BIN := .venv/bin

.PHONY: help play test lint types bench clean

help:
	@echo "make play    open the page: play, analyse, review (in the terminal where there is no browser)"
	@echo "make test    lint, types and all tests"
	@echo "make bench   speed, ours beside others' in one run"
	@echo "make clean   remove .venv and everything that was built"

play:
	@sh tools/venv.sh base
	@$(BIN)/pocketzero serve --or-terminal

test:
	@sh tools/venv.sh test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tests/compile_first.py
	$(BIN)/python -m pytest -n auto --dist worksteal

bench:
	@sh tools/venv.sh test
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
