# The two commands of the README: `make demo` and `make test`. Both install first.
PYTHON ?= python3
VENV := .venv
# Commands that tests start would else compile all modules, each for itself.
export PYTHONDONTWRITEBYTECODE :=
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WARM := $(VENV)/.warm

.PHONY: install demo test lint docs reproduce coverage package wheel clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[data,dask,dev,docs,formats,page,pandas,report]'
	$(BIN)/python -m starmin warm-up --auto  # so that no first command waits for it
	touch $(STAMP)

# Compiles all other loops, too, so that no test waits for it and no limit is missed.
$(WARM): $(STAMP)
	$(BIN)/python -m starmin warm-up
	touch $(WARM)

# A real public table: 214,144 persons of the 1960 census, proven optimal.
demo: install
	mkdir -p out
	$(BIN)/starmin solve instance:mortgages --k 5 \
		--out out/mortgages.k5.csv --certificate out/mortgages.k5.certificate.json \
		--result out/mortgages.k5.json
	$(BIN)/starmin verify out/mortgages.k5.csv --k 5 \
		--qi bpl,qob,nonwhite,vet_wwko,home_ownership \
		--original instance:mortgages --certificate out/mortgages.k5.certificate.json

test: $(WARM)
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, in docs/_build: warnings are errors, no network is needed.
docs: install
	$(BIN)/sphinx-build -q -W --keep-going -c docs/site docs docs/_build

# Every experiment of the papers: a day on one core, resumed where it was stopped.
DATA ?= data
reproduce: install
	$(BIN)/starmin reproduce --all --out out/reproduction $(if $(wildcard $(DATA)),--data $(DATA))

# Branches, too. Loops that numba compiles cannot be traced and are left out of the
# report; TESTS=tests/heuristics/approximation/test_forest.py, say, measures a part.
coverage: $(WARM)
	$(BIN)/python -m pytest $(TESTS) --cov --cov-branch \
		--cov-report=term:skip-covered --cov-report=html:out/coverage

# A wheel with its loops compiled for x86-64 processors since 2013, in dist. Where it is
# installed on another system, or beside another numba, they are not read.
SHIPPED := instances/loops/shipped
wheel: install
	rm -rf build $(SHIPPED)
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= NUMBA_CACHE_DIR=build/loops \
		$(BIN)/python -m starmin warm-up
	mv build/loops/starmin $(SHIPPED)
	$(BIN)/python -m build --wheel --outdir dist; built=$$?; rm -rf build $(SHIPPED); exit $$built

# Wheel and source distribution, built, installed and tried as a new user would.
package: install
	$(BIN)/python -m pytest tests/project/test_package.py -m slow

clean:
	rm -rf $(VENV) out build dist docs/_build docs/methods docs/reference/*.rst docs/reference/*.py *.egg-info instances/loops/__pycache__/*.loop instances/loops/__pycache__/*.warm .mypy_cache .ruff_cache .pytest_cache
