# Two commands on a fresh machine: `make try` runs the main job, `make test` passes the tests.
# Each makes the virtual environment first if it is missing; VENV chooses another place for it.
# While working, `make quick` tells most breakages within a minute; `make check` is the whole gate.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.gradual-installed

.PHONY: try test quick check thorough mutants suite-mutants campaign liars oracles nodes format bench fuzz archives graphs \
	second proofs verified docs editors vsix suite-wheel install clean

try: install
	$(BIN)/gradual check examples/head.relay
	$(BIN)/gradual run examples/head.relay '@head(float32[5, 784], float32[10, 784])' --format json | cut -c 1-120

test: install
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not mutants and not rest"

# A file or two of each floor, the rules' names, and some suites: what tells most breakages soonest.
QUICK := tests/architecture tests/test_traceability.py \
	tests/dims/test_text.py tests/dims/test_solver.py tests/tensors/test_tensor.py \
	tests/ops/test_attributes.py tests/ops/test_shapes.py tests/syntax/test_lexer.py tests/syntax/test_errors.py \
	tests/core/test_implied.py tests/checker/test_order.py tests/run/test_faults.py tests/passes/test_hoist.py \
	tests/importers/test_reading.py tests/report tests/conformance/test_read.py tests/properties/test_needless.py \
	tests/tools/test_run.py tests/tools/test_repl.py::test_a_session_is_its_transcript
SUITES := $(addprefix conformance/,acceptance.md checks.md calls.md passes-static.md)

quick: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	$(BIN)/gradual conformance run $(SUITES)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile $(QUICK)

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict
	GRADUAL_THOROUGH=1 $(BIN)/python -m pytest -n auto --dist worksteal

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install
	$(BIN)/python -m bench

# The tests of costly laws, each with more examples than the gate has time for, and others at every run.
LAWS := tests/dims tests/passes tests/properties tests/core/test_surface.py tests/conformance/test_suite.py \
	tests/ops/test_catalogue.py tests/run tests/syntax tests/checker/test_data.py tests/lints/test_laws.py \
	tests/shape_functions tests/tensors/test_arrays.py tests/ops/test_fast.py

thorough: install
	GRADUAL_THOROUGH=$(or $(TIMES),10) HYPOTHESIS_PROFILE=exploring \
		$(BIN)/python -m pytest -n auto --dist worksteal $(LAWS)

mutants: install
	$(BIN)/python -m pytest -n auto --dist worksteal -m mutants

# How many small changes of the reference the conformance suite notices; the first run collects which case executes what.
suite-mutants: install
	$(BIN)/python -m tests.conformance.mutants --count $(or $(COUNT),150) --seed $(or $(SEED),0)

campaign: install
	$(BIN)/python -m tests.properties.campaign --programs $(or $(PROGRAMS),100000) --log campaign.jsonl --jobs $$(nproc)

# Which liars the conformance suite tells from the reference, and by how many cases a wrong kernel of each operator.
liars: install
	$(BIN)/python -m tests.conformance.liars

oracles: install
	$(BIN)/python -m pip install --quiet --editable '.[dev,oracles]'
	$(BIN)/python -m tests.ops.campaign --examples $(or $(EXAMPLES),200)

nodes: install
	$(BIN)/python -m pip install --quiet --editable '.[dev,oracles]'
	$(BIN)/python -m tests.importers.campaign --nodes $(or $(NODES),5000) --seed $(or $(SEED),0)

fuzz: install
	$(BIN)/python -m tests.fuzz.campaign --inputs $(or $(INPUTS),100000) --seed $(or $(SEED),0)

archives: install
	$(BIN)/python -m tests.importers.torch.fuzzing --archives $(or $(ARCHIVES),20000) --seed $(or $(SEED),0)

graphs: install
	$(BIN)/python -m tests.importers.tensorflow.fuzzing --graphs $(or $(GRAPHS),20000) --seed $(or $(SEED),0)

# A checker written from the text alone and the reference, on random programs; it is part of every release.
second: install
	$(BIN)/python -m tests.second.compare --programs $(or $(PROGRAMS),5000) --seed $(or $(SEED),0) --jobs $$(nproc)

proofs:
	spec/mechanized/build
	export LC_ALL=C; cd spec/mechanized; cat _CoqProject build *.v | sha256sum > proved

# The verified checker, as `build/verified/checker`, put to the conformance suite.
verified: install
	spec/mechanized/checker/build build/verified
	$(BIN)/gradual conformance run --adapter "$(BIN)/python spec/mechanized/checker/adapter.py build/verified/checker"

# The documentation site. The playground's Python comes from npm; where that
# cannot be had the site is built without it, and says so.
PYODIDE := build/pyodide-314.0.7

docs: install
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	$(MAKE) --silent $(PYODIDE) || echo "no Pyodide from npm: the playground of this site has no Python"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

$(PYODIDE):
	mkdir -p build/npm
	npm pack --silent --pack-destination build/npm pyodide@$(subst build/pyodide-,,$@)
	tar -xzf build/npm/pyodide-*.tgz -C build/npm
	mv build/npm/package $@

editors: install
	PYTHON=$(BIN)/python editors/test

vsix:
	cd editors/vscode && npm install --silent --no-audit --no-fund --no-package-lock && npm run vsix

# The suite as a distribution of its own, `gradual-conformance`, which needs no checker: an sdist and a wheel in dist/.
suite-wheel: install
	$(BIN)/python -m build --outdir dist packaging/conformance

install: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(READY)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist site
