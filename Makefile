# The checks of memory, each within about two minutes and without a network; they fail below the floors in
# bench/floors.py. Then the pages of docs/. Set PYTHON to use another interpreter.
PYTHON ?= python

.PHONY: tools test-memory memory-eval memory-canary docs-gen docs-check docs-build docs-serve

tools:
	@$(PYTHON) -c 'import pytest, hypothesis' 2> /dev/null || { echo 'first run: pip install -r requirements-dev.txt' >&2; exit 2; }

test-memory memory-eval memory-canary: tools

test-memory:
	$(PYTHON) -m pytest -q tests/search tests/tools/test_remember.py tests/tools/test_recall.py tests/compaction/test_plan.py

memory-eval:
	$(PYTHON) bench/floors.py eval

memory-canary:
	$(PYTHON) bench/floors.py canary

docs-gen:
	$(PYTHON) -m dotagent docs refresh

docs-check:
	$(PYTHON) -m dotagent docs check

docs-build:
	$(PYTHON) -m dotagent docs build

docs-serve:
	$(PYTHON) -m dotagent docs serve
