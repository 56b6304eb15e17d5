# Everything a newcomer needs: `make demo`, `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Tests run in the order and in the groups of tests/conftest.py, each group as a whole in one of the processes.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

# The tests start some hundred processes: without bytecode on disk, each compiles all of tacit anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-all coverage versions mutants fuzz attack-exam lint bench docs docs-tables tables \
	pictures new-method new-promise studies clean

demo: $(READY)
	$(BIN)/tacit demo

test: $(READY)
	$(PYTEST)

test-slow: $(READY)
	$(PYTEST) -m slow

test-all: $(READY)
	$(BIN)/python -m pytest -m "slow or not slow"

# The slow twins and small cases once more without compiling, so that coverage sees the lines of kernels.
coverage: $(READY)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "not slow and not compiled" --cov=src/tacit --cov-report=term-missing:skip-covered \
		tests/audits tests/baskets tests/records tests/ratings tests/slices

# The samples and the exam on the lowest and on the newest versions of what tacit stands on.
versions: $(READY)
	$(BIN)/python tools/versions.py

# Do the tests notice small faults in the audits, and in what decides about a release? SAMPLE=... for more of them.
SAMPLE ?= 150
mutants: $(READY)
	$(BIN)/python tools/mutants.py --sample $(SAMPLE)

# Damaged inputs for every reader: no traceback, no crash, an end, nothing half-written. INPUTS=... for more of them.
INPUTS ?= 2000
fuzz: $(READY)
	$(BIN)/python -m tools.fuzz --inputs $(INPUTS)

# A thousand random releases: no attack that a promise is about is right more often than it allows. SETS=... for more.
SETS ?= 1000
attack-exam: $(READY)
	TACIT_ATTACK_SETS=$(SETS) $(BIN)/python -m pytest -m slow tests/attack/test_attack_exam.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: $(READY)
	$(BIN)/python -m benchmarks

# The tables of docs/benchmarks.md and README.md, anew from benchmarks/records.json.
docs-tables: $(READY)
	$(BIN)/python -m benchmarks --tables

# The tables of promises, methods and options, anew from the files that declare them.
tables: $(READY)
	$(BIN)/python -m tools.tables

# The pictures of README, tutorials and the page, anew from the samples; takes a Chromium.
pictures: $(READY)
	$(BIN)/python -m tools.pictures

# The files of a new method: make new-method KIND=records NAME=my-method PROMISES=k,l
new-method: $(READY)
	$(BIN)/python -m tools.scaffold method "$(KIND)" "$(NAME)" "$(PROMISES)"

# The files of a new promise: make new-promise KIND=records NAME=my-promise
new-promise: $(READY)
	$(BIN)/python -m tools.scaffold promise "$(KIND)" "$(NAME)"

# Every table and figure of the papers anew, from the data sets beside the project; takes an hour.
studies: $(READY)
	$(BIN)/python -m studies

# The documentation as a site, in site/.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("tacit needs Python 3.11 or newer; set PYTHON=... to one") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable . --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) .venvs out site .pytest_cache .mypy_cache .ruff_cache
