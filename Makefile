# The two commands of the README: `make demo` and `make test`. Both install first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test lint clean

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[data,dask,dev]'
	touch $(STAMP)

# A real public table: 214,144 persons of the 1960 census, proven optimal.
demo: install
	mkdir -p out
	$(BIN)/starmin solve instance:mortgages --k 5 \
		--out out/mortgages.k5.csv --certificate out/mortgages.k5.certificate.json \
		--result out/mortgages.k5.json
	$(BIN)/starmin verify out/mortgages.k5.csv --k 5 \
		--qi bpl,qob,nonwhite,vet_wwko,home_ownership \
		--original instance:mortgages --certificate out/mortgages.k5.certificate.json

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) out build *.egg-info .mypy_cache .ruff_cache .pytest_cache
