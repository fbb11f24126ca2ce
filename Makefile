# What people and CI call. `make run` and `make test` work on a fresh machine.
PYTHON ?= python3
BIN := .venv/bin
# The extras of what the README shows.
SHOWN := postgres parquet cloud web cluster
# Python compiles what it loads; compiling all of it here would take longer than all else that pip does.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt
# The build back end starts maturin by name.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What makes compiling again faster costs a quarter of the time where everything is compiled once.
ifeq ($(CI),true)
export CARGO_INCREMENTAL := 0
export CARGO_PROFILE_DEV_DEBUG := 0
endif
# The tests start hundreds of commands, and each would compile all that it loads.
unexport PYTHONDONTWRITEBYTECODE
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock
LISTED := $(shell find crates/db/src/drivers crates/db/tests/servers crates/files/src/workloads crates/io/src/engines -name '*.rs')

.PHONY: help setup begun environment compiled fetched shipped run test test-campaigns test-built tests-compiled packages test-fast check rust-checked python-checked format bench bench-db bench-parity bench-volume validate docs site readme wheel assure-wheel clean torture assure assure-cloud fuzz audit
help:
	@echo "make run        set up and measure the current directory (about three minutes in all)"
	@echo "make setup      build into .venv; then .venv/bin/plimsoll"
	@echo "make test       tests with real servers, disks and a browser         make test-fast   the quick ones"
	@echo "make test-campaigns  those that take minutes each: rented machines, kills, the whole site"
	@echo "make check      format, lint, types, import rules, documents         make format      put it in shape"
	@echo "make bench      side by side with fio, as ratios                     make validate    the long simulation"
	@echo "make assure     sanitizers, fuzzing, every system call failing once: hours    make fuzz      two minutes of fuzzing"
	@echo "make assure-cloud  sessions that rent from an emulated cloud, killed at every call, and verdicts on products: hours"
	@echo "make wheel      a wheel in dist/                            make assure-wheel   install it in fresh systems and a container (root)"
	@echo "make torture    kills, full disks, lost power, for two hours (TORTURE='--minutes 10 --seed 7'; as root, on a machine that may be hurt)"
	@echo "make audit      advisories, licences and archives of what we build on; exit code 3: not all could be checked"
	@echo "make docs       regenerate docs/reference and completion      make readme      run its example again"
	@echo "make site       all documents and a gallery of reports, in target/site/index.html (a minute, most of it measuring)"

setup: $(BIN)/.set-up
$(BIN)/.set-up: pyproject.toml constraints.txt $(RUST)
	@tools/need.sh $(PYTHON) cargo
	@$(MAKE) --no-print-directory --jobs=3 begun compiled fetched
	@touch $@

# Beside each other: a processor compiles while the other makes an environment and unpacks. What `begun` compiles needs no
# environment: SQLite's one file, the longest piece that cannot be compiled in parts. A crate of our own would be compiled
# there with fewer features of what it builds on, and all of that a second time in `compiled`.
begun:
	cargo build --quiet --locked --profile local -p libsqlite3-sys

environment:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) maturin

compiled: environment
	$(PIP) --no-build-isolation --no-deps -e .

fetched: environment
	$(BIN)/python tools/requirements.py > $(BIN)/needed.txt
	$(BIN)/python tools/requirements.py $(SHOWN) >> $(BIN)/needed.txt
	$(PIP) -r $(BIN)/needed.txt

$(BIN)/.set-up-dev: $(BIN)/.set-up
	$(BIN)/python tools/requirements.py dev > $(BIN)/dev.txt
	$(PIP) -r $(BIN)/dev.txt
	@touch $@

$(BIN)/.set-up-site: $(BIN)/.set-up
	$(BIN)/python tools/requirements.py site > $(BIN)/site.txt
	$(PIP) -r $(BIN)/site.txt
	@touch $@

run: setup
	$(BIN)/plimsoll run --output plimsoll-report.html --force

test: test-built
	cargo test --quiet --workspace
	@rm -f target/seconds.json
	$(BIN)/pytest -n auto --seconds=target/seconds.json -m 'not alone and not campaign'
	$(BIN)/pytest --seconds=target/seconds.json -m 'alone and not campaign'

# The tests that take minutes each; CI runs them after `make test`. Those that rent machines run one after the other and
# decide how long it takes: more workers beside them would only disturb what they measure.
test-campaigns: test-built
	@rm -f target/seconds.json
	$(BIN)/pytest -n $$(($$(nproc) + 1)) --seconds=target/seconds.json -m 'campaign and not alone'
	$(BIN)/pytest --seconds=target/seconds.json -m 'campaign and alone'

# What the tests in Python need is fetched while those in Rust are compiled.
test-built: $(BIN)/.set-up-dev
	@$(MAKE) --no-print-directory --jobs=3 tests-compiled $(BIN)/.set-up-site packages

tests-compiled:
	cargo test --quiet --workspace --no-run

packages:
	tools/test-packages.sh

# They compute, so that there is nothing to gain from more workers than processors.
test-fast: $(BIN)/.set-up-dev
	$(BIN)/pytest -n $$(nproc) tests/unit tests/golden -m 'not slow'

check: $(BIN)/.set-up-dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync rust-checked python-checked

rust-checked:
	cargo fmt --check
	rustfmt --check --edition 2024 $(LISTED)  # found by build scripts, which cargo fmt does not follow
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null  # its own lock file is up to date

python-checked: $(BIN)/.set-up-dev
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/tidy.py
	$(BIN)/python tools/parameters.py --check
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/manual.py --check

format: $(BIN)/.set-up-dev
	cargo fmt
	rustfmt --edition 2024 $(LISTED)
	$(BIN)/ruff format --quiet
	$(BIN)/ruff check --quiet --fix

docs: $(BIN)/.set-up-dev
	$(BIN)/python tools/parameters.py
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/manual.py

# What is measured is what wheels hold; the module of `make setup` comes back with the next change to a source of it.
shipped: $(BIN)/.set-up-dev
	$(BIN)/maturin develop --quiet --profile release --skip-install

bench: shipped wheel
	$(BIN)/python benches/io.py
	$(BIN)/python benches/commands.py
	$(BIN)/python benches/imports.py
	$(BIN)/python -m benches.install
	$(BIN)/python benches/report.py
	$(BIN)/python benches/traces.py
	$(BIN)/python benches/replay.py
	$(BIN)/python -m benches.web
	$(BIN)/python -m benches.web_crowd

# Native tests beside their originals; needs dbench, postmark, bonnie++, fio and ioping.
bench-parity: shipped
	$(BIN)/python -m benches.parity

bench-volume: shipped
	$(BIN)/python benches/volume.py

# Beside redis-benchmark, pgbench, sysbench and wrk.
bench-db: shipped
	$(BIN)/python benches/db.py

validate: $(BIN)/.set-up-dev
	$(BIN)/python benches/validate.py

# Every line names its seed and round; both again repeat it.
torture: $(BIN)/.set-up-dev
	$(BIN)/python -m benches.torture $(TORTURE)

# Two minutes, as CI does; what is found stays in target/fuzz-found. FUZZ='--seconds 3600 --grow' lets the corpus grow.
fuzz: $(BIN)/.set-up-dev
	$(BIN)/python tools/fuzz.py $(FUZZ)

# Each part goes on from a fixed seed; a finding of one ends it.
assure: $(BIN)/.set-up-dev
	$(BIN)/python tools/sanitize.py address
	$(BIN)/python tools/sanitize.py thread
	$(BIN)/python tools/fuzz.py --seconds 1800
	$(BIN)/python benches/fuzz_importers.py --inputs 20000
	$(BIN)/python -m benches.torture every

# Sessions that rent are killed at every call; nothing may stay. KILLS='--kills 600 --seed 7' takes fewer points.
# Then products are rented again and again (root): their intervals cover the truth. PRODUCTS='--repetitions 5' takes fewer.
assure-cloud: $(BIN)/.set-up-dev
	$(BIN)/python benches/kill_renting.py $(KILLS)
	$(BIN)/python benches/products_in_cloud.py $(PRODUCTS)

audit: $(BIN)/.set-up-dev
	$(BIN)/python tools/audit.py

# A wheel for machines without a compiler; its tag names the oldest C library that it runs with.
wheel: $(BIN)/.set-up-dev
	$(BIN)/python tools/manual.py
	$(BIN)/python -m plimsoll.report.charts.bundle
	$(BIN)/maturin build --release --out dist

# A few minutes, as root, with debootstrap and buildah: fresh systems are made, which the wheel is installed into.
assure-wheel: wheel
	@command -v debootstrap >/dev/null && command -v buildah >/dev/null || { echo 'needs debootstrap and buildah (Debian: apt install debootstrap buildah)' >&2; exit 1; }
	$(BIN)/python -m tools.wheel --container

# Documents and a gallery of reports, which it measures; opens from the file system.
site: $(BIN)/.set-up-site
	$(BIN)/python -m tools.pages

readme: $(BIN)/.set-up-dev
	$(BIN)/python -m tools.readme

clean:
	rm -rf .venv target plimsoll-report.html python/plimsoll/_core*.so python/plimsoll/report/charts/vega-*.js
