# Everything happens in .venv (and .venv-oldest for the oldest supported versions).
# Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
BENCH ?= sampler
VENV := .venv
OLDEST := .venv-oldest
PEERS := .venv-peers
STUDIO := .venv-label-studio
PIP_FLAGS := --quiet --quiet --disable-pip-version-check --no-input

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two pips at work in one environment corrupt it.
.NOTPARALLEL:
# A worker for each core; a file's tests stay together, because they share what takes long to make.
PARALLEL := -n auto --maxprocesses 8 --dist loadfile

# Reflections are chaotic: where another processor rounds otherwise, a seed means other draws. Three
# of them, to be found in any machine with AVX2: what the linear algebra takes it for, what the
# kernels are compiled for, and a number that is added to all seeds.
PLACES := elsewhere-Haswell-haswell-1000 elsewhere-Sandybridge-sandybridge-2000 \
  elsewhere-Nehalem-generic-3000
CHAOTIC := tests/sampling tests/spaces tests/learners tests/geometry \
  tests/test_determinism.py tests/test_evidence.py

.PHONY: help demo test lint bench docs dist test-oldest test-installs test-peers \
  test-elsewhere $(PLACES) clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-demo  ## install aluma and run its demonstration
	$(VENV)/bin/aluma demo

test: lint  ## ruff, mypy, import-linter and the test suite
	$(VENV)/bin/python -m pytest $(PARALLEL)

# With [text], so that vectors of words are tested; test-oldest goes without, for wordllama needs a
# newer NumPy than the oldest.
lint: $(VENV)/.installed-test,text  ## ruff, mypy and import-linter only
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

bench: $(VENV)/.installed-bench  ## the sampler's benchmark; another: make bench BENCH=cost
	$(VENV)/bin/aluma bench $(BENCH)

docs: $(VENV)/.installed-docs  ## the documentation, in docs/_build/html; a warning is an error
	$(VENV)/bin/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html
	$(VENV)/bin/python docs/check_links.py docs/_build/html

dist: $(VENV)/.installed-dist  ## build the wheel, install it in an empty environment, try it there
	rm -rf build dist
	$(VENV)/bin/python -m build --quiet --outdir dist .
	$(VENV)/bin/python -m twine check --strict dist/*
	$(PYTHON) .ci/try_wheel.py dist/*.whl

test-oldest: $(OLDEST)/.installed  ## the test suite on the oldest supported versions
	$(OLDEST)/bin/python -m pytest $(PARALLEL)

test-installs: $(VENV)/.installed-test  ## install without extras and with [label], and try both
	$(VENV)/bin/python -m pytest -n 0 -m slow tests/test_install.py

# Label Studio pins much of what it needs, so it has an environment of its own.
test-peers: $(PEERS)/.installed $(STUDIO)/.installed  ## Label Studio, JupyterLab, ASReview and others
	LABEL_STUDIO=$(CURDIR)/$(STUDIO)/bin/label-studio \
	  $(PEERS)/bin/python -m pytest -n 0 -m peers tests/adapters

test-elsewhere: $(PLACES)  ## what reflections decide, as if on three other processors

$(PLACES): elsewhere-%: $(VENV)/.installed-test
	OPENBLAS_CORETYPE=$(word 1,$(subst -, ,$*)) \
	NUMBA_CPU_NAME=$(word 2,$(subst -, ,$*)) NUMBA_CPU_FEATURES= \
	ALUMA_SEED_OFFSET=$(word 3,$(subst -, ,$*)) \
	  $(VENV)/bin/python -m pytest $(PARALLEL) $(CHAOTIC)

clean:  ## remove caches and build products (the environments stay)
	rm -rf build dist docs/_build docs/api docs/gallery docs/tutorials src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis \
	  .import_linter_cache
	find src tests -type d -name __pycache__ -prune -exec rm -rf {} +

# Stamps: an environment is installed into again only when what it was installed from has changed.
$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/pip
	@echo "Installing aluma[$*] into $(VENV)"
	@$(VENV)/bin/python -m pip install $(PIP_FLAGS) --editable '.[$*]'
	@touch $@

$(OLDEST)/.installed: pyproject.toml requirements/oldest.txt | $(OLDEST)/bin/pip
	@echo "Installing aluma[test] at its lower bounds into $(OLDEST)"
	@$(OLDEST)/bin/python -m pip install $(PIP_FLAGS) \
	  --constraint requirements/oldest.txt --editable '.[test]'
	@touch $@

$(PEERS)/.installed: pyproject.toml | $(PEERS)/bin/pip
	@echo "Installing aluma and the tools it works in into $(PEERS)"
	@$(PEERS)/bin/python -m pip install $(PIP_FLAGS) \
	  --editable '.[test,notebook,label-studio,skactiveml]' asreview jupyterlab
	@touch $@

$(STUDIO)/.installed: | $(STUDIO)/bin/pip
	@echo "Installing Label Studio into $(STUDIO)"
	@$(STUDIO)/bin/python -m pip install $(PIP_FLAGS) label-studio
	@touch $@

$(PEERS)/bin/pip $(STUDIO)/bin/pip:
	@$(PYTHON) -m venv $(@D:/bin=)

# pip is the last thing that venv writes: where it is missing, the environment is incomplete.
$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "aluma needs Python 3.11 or newer, and '$(PYTHON)' is not." \
	    "Name one that is: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(OLDEST)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' || { \
	  echo "The oldest supported numpy and numba exist for Python 3.11 and 3.12 only, and" \
	    "'$(PYTHON)' is neither. Name one: make PYTHON=python3.11 test-oldest" >&2; exit 1; }
	@$(PYTHON) -m venv $(OLDEST)
