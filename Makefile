# The environment is made once for what is asked: the core for a report, the rest for tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?= celestial-ranks

.PHONY: report test check-all docs golden dist bench fox-expert notebook lint clean

$(VENV)/core: requirements.lock pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/dev: $(VENV)/core requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

report: $(VENV)/core  ## play GAME and write its balance report
	$(BIN)/evenhand report $(GAME)

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint  ## lint, types, imports, and all tests but the full sizes
	$(BIN)/pytest -n 2 --dist loadgroup --no-loadscope-reorder -m "not full and not browser"

check-all: test  ## the sizes that the issues name, with their figures
	$(BIN)/pytest -m "full or browser" -s
	$(BIN)/python -m tests.check

docs: $(VENV)/dev  ## write the page of all commands anew
	$(BIN)/python -m tests.commands

golden: $(VENV)/dev  ## renew the golden playthroughs; the difference is what a change did to the games
	$(BIN)/python -m tests.golden

dist: $(VENV)/dev  ## build the wheel and the sdist, and check what is in them
	$(BIN)/python -m tests.wheel dist

bench: $(VENV)/dev  ## measured speeds
	$(BIN)/python -m tests.benchmarks

fox-expert: $(VENV)/core  ## play the Fox's abilities with look-ahead players and keep the table that reports show
	$(BIN)/python -m analysis.committed fox-in-the-forest --tier expert:100 --games 1200 --seed 1

notebook: $(VENV)/dev
	$(BIN)/jupyter lab notebooks/01_first_look.ipynb

clean:
	rm -rf $(VENV) build dist *.egg-info
