# Two commands on a fresh machine: `make try` runs the main job, `make test` passes the tests.
# Each makes the virtual environment first if it is missing; VENV chooses another place for it.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.gradual-installed

.PHONY: try test check campaign oracles nodes format bench fuzz proofs install clean

try: install
	$(BIN)/gradual check examples/head.relay
	$(BIN)/gradual run examples/head.relay '@head(float32[5, 784], float32[10, 784])' --format json | cut -c 1-120

test: install
	$(BIN)/python -m pytest -n auto --dist worksteal

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/python -m pytest -n auto --dist worksteal

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install
	$(BIN)/python -m bench

campaign: install
	$(BIN)/python -m tests.properties.campaign --programs $(or $(PROGRAMS),100000) --log campaign.jsonl --jobs $$(nproc)

oracles: install
	$(BIN)/python -m pip install --quiet --editable '.[dev,oracles]'
	$(BIN)/python -m tests.ops.campaign --examples $(or $(EXAMPLES),200)

nodes: install
	$(BIN)/python -m pip install --quiet --editable '.[dev,oracles]'
	$(BIN)/python -m tests.importers.campaign --nodes $(or $(NODES),5000) --seed $(or $(SEED),0)

fuzz: install
	$(BIN)/python -m tests.fuzz.campaign --inputs $(or $(INPUTS),100000) --seed $(or $(SEED),0)

proofs:
	spec/mechanized/build

install: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
