# SPDX-License-Identifier: MIT

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PYTHON := .venv/bin/python
unexport PYTHONDONTWRITEBYTECODE# else each of the thousand programs that tests start compiles what it imports
# The recipe's C is written as Linux is.
CXX_SOURCES = $(shell git ls-files -co --exclude-standard '*.cc' '*.h' ':!hybridnet/kernel/recipe')
ON_EVERY_CORE := -n $(shell nproc) --dist worksteal
# Files at a time, whose tests share a network. Most wait for their networks; those that look closer measure, and a
# network keeps two processors busy.
FILES_AT_A_TIME := -n $(shell nproc) --dist loadfile
SOME_AT_A_TIME := -n $(shell expr \( $$(nproc) + 1 \) / 2) --dist loadfile
ON_ONE_CORE := check-wheel docs check-types check-format check-lint check-layers check-stub check-generated# the longest first
PLANS := hybridnet/describe/schema/plans.py
TYPES_OF_PLANS := $(PYTHON) -m hybridnet.describe.schema.typed | $(PYTHON) -m ruff format --stdin-filename $(PLANS) -
FUZZERS := build/dev/tests/fuzz
FUZZ_SECONDS ?= 6
FUZZ_FLAGS := -max_len=4096 -artifact_prefix=build/fuzz/ -print_final_stats=1 -verbosity=0

help:  ## print this
	@awk -F ':.*## ' '/^[a-z-]*:.*## / { printf "%-20s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install:  ## packages, Python environments, extension; quick the second time
	@setup/install

install-to-run:  ## the same without what tests and checks need, and without the live page's libraries
	@setup/install run

install-to-package:
	@setup/install package

demo: install-to-run  ## hybridnet compared with MaxiNet's way on this computer, one round: tables and pictures in runs/demo
	@.venv/bin/hybridnet reproduce maxinet --rounds 1 --out runs/demo

test: install test-cpp test-unit test-system  ## the tests that say within minutes whether all works (the system tier needs root)

test-cpp:  ## simcore's unit tests
	@echo "== simcore: unit tests"
	@cmake --preset release --log-level=WARNING >/dev/null && cmake --build --preset release
	@ctest --preset release -L layer

test-unit:  ## hybridnet's unit tests: no root, seconds
	@echo "== hybridnet: unit tests"
	@$(PYTHON) -m pytest -q $(ON_EVERY_CORE) -m 'not system and not slow and not thorough'

test-system:  ## tests with real namespaces, switches and controllers
	@echo "== system tests"
	@if [ "$$(id -u)" -eq 0 ]; then \
	  $(PYTHON) -m pytest -q $(FILES_AT_A_TIME) -m 'not slow and not thorough and not alone' --durations=10 tests/system; \
	else echo "not run: they need root"; fi

check: install check-thorough  ## all of the following
	@$(MAKE) -j "$$(nproc)" --output-sync=target $(ON_ONE_CORE)
	@$(MAKE) check-reproduced
	@$(MAKE) check-tidy check-sanitizers check-threads check-fuzz

check-thorough:  ## the tests that look closer, and those that need the computer for themselves
	@echo "== thorough tests"
	@$(PYTHON) -m pytest -q $(ON_EVERY_CORE) -m 'thorough and not system and not slow'
	@if [ "$$(id -u)" -eq 0 ]; then \
	  $(PYTHON) -m pytest -q $(SOME_AT_A_TIME) -m 'thorough and not slow and not alone' --durations=10 tests/system; \
	  $(PYTHON) -m pytest -q -m 'alone and not slow' tests/system; \
	else echo "those of the system tier were not run: they need root"; fi

check-reproduced:  ## what experiments keep virtual time for two minutes at most, at full length, with their checks
	@echo "== reproduced in virtual time, two minutes each at most"
	@.venv/bin/hybridnet reproduce --all --virtual-time --within 120 --out runs/reproduced-quickly

check-format:  ## clang-format, ruff format
	@echo "== format"
	@clang-format --dry-run -Werror $(CXX_SOURCES)
	@$(PYTHON) -m ruff format --check .

check-lint:  ## ruff
	@echo "== lint"
	@$(PYTHON) -m ruff check .

check-types:  ## mypy
	@echo "== types"
	@$(PYTHON) -m mypy

check-layers:  ## includes and imports go only down
	@echo "== layers"
	@$(PYTHON) -m pytest -q tests/layers_test.py

check-stub:  ## hybridnet/_simcore.pyi says what the extension has
	@echo "== stub"
	@mkdir -p build
	@$(PYTHON) -m nanobind.stubgen -q -m hybridnet._simcore -o build/_simcore.pyi
	@diff -u hybridnet/_simcore.pyi build/_simcore.pyi || { echo "hybridnet/_simcore.pyi is old; run: make generated"; exit 1; }

check-generated:  ## the types of plans and the tables of options in docs/ are those that are declared
	@echo "== types of plans, tables in docs"
	@mkdir -p build
	@$(TYPES_OF_PLANS) >build/plans.py
	@diff -u $(PLANS) build/plans.py || { echo "$(PLANS) is old; run: make generated"; exit 1; }
	@$(PYTHON) -m hybridnet.describe.options.document --check docs/*.md

check-tidy:  ## clang-tidy over what has changed in simcore since it last passed
	@echo "== clang-tidy"
	@cmake --preset tidy --log-level=WARNING >/dev/null
	@$(PYTHON) .ci/tidy.py build/tidy simcore

check-sanitizers:  ## simcore's unit tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@echo "== sanitizers: address, undefined"
	@cmake --preset dev --log-level=WARNING >/dev/null && cmake --build --preset dev
	@ctest --preset dev -L layer

check-threads:  ## what has threads, with ThreadSanitizer
	@echo "== sanitizers: thread"
	@cmake --preset tsan --log-level=WARNING >/dev/null && cmake --build --preset tsan
	@ctest --preset tsan -L layer

check-fuzz: build-fuzz  ## each fuzz target for FUZZ_SECONDS (6), from its seeds
	@echo "== fuzz, $(FUZZ_SECONDS) s each"
	@ls $(FUZZERS)/*_fuzz | xargs -n 1 basename | xargs -P "$$(nproc)" -I '{}' sh -c 'echo {}; \
	  $(FUZZERS)/{} $(FUZZ_FLAGS) -seed=1 -max_total_time=$(FUZZ_SECONDS) build/fuzz/seeds/{} 2>build/fuzz/{}.log || { cat build/fuzz/{}.log; exit 255; }'

check-wheel:  ## an installed wheel runs, away from the repository
	@echo "== wheel"
	@$(PYTHON) -m pytest -q -m wheel

packages: install-to-package  ## source distribution, wheel with its libraries and checksums in dist/, unchecked
	@rm -rf dist && $(PYTHON) .ci/packages.py dist

release: install  ## these, checked by check-wheel and built twice; prints what to tag, or what is missing for that
	@$(PYTHON) .ci/release.py dist

test-distributions:  ## the set-up for `make demo`, and a part of the tests, on a fresh Debian 13 and 12: roots that debootstrap makes (root)
	@for release in trixie bookworm; do .ci/distribution $$release install-to-run test-distribution; done

test-wheel:  ## the wheel on a bare Debian 13 and 12, from pip install to the first ping (root)
	@for release in trixie bookworm; do .ci/try-wheel $$release; done

image:  ## a container image in dist/image, without a registry (root)
	@.ci/image dist/image

test-image: image  ## the image under crun: a simulation without privileges, the README's network with them (root)
	@$(PYTHON) .ci/try_image.py dist/image/hybridnet-*.tar

test-distribution: install test-unit  ## unit tests and a few of the system tier: what a distribution can break
	@echo "== system tests of what a distribution can break"
	@$(PYTHON) -m pytest -q $(SOME_AT_A_TIME) -m 'not slow and not thorough and not alone' \
	  tests/system/net_test.py tests/system/mininet_test.py tests/system/switches_test.py tests/system/openflow_test.py \
	  tests/system/portal_test.py tests/system/hub_test.py

nightly: check-slow reproduce-virtual check-analyzer fuzz test-distributions test-wheel test-image  ## what takes long: slow tests, experiments in virtual time, clang's analyzer, fuzzing, other releases of Debian, the wheel there, the image

reproduce: install  ## every experiment at full length with its checks, alone on this computer: one table, runs/reproduce; hours (root)
	@.venv/bin/hybridnet reproduce --all --tries 3

reproduce-virtual: install  ## every experiment that keeps virtual time, at full length with its checks: runs/reproduced
	@.venv/bin/hybridnet reproduce --all --virtual-time --out runs/reproduced

check-analyzer:  ## clang-tidy with its static analyzer at full depth
	@echo "== clang-tidy, deep"
	@cmake --preset tidy --log-level=WARNING >/dev/null
	@$(PYTHON) .ci/tidy.py build/tidy simcore --deep

test-stock: install  ## system tests on Debian's packaged kernel, in a guest: half an hour without hardware virtualization; SMOKE=1: less
	@$(PYTHON) tests/stock/run.py $(if $(SMOKE),--smoke)

check-slow: install  ## the tests that take tens of seconds
	@echo "== slow tests"
	@if [ "$$(id -u)" -eq 0 ]; then $(PYTHON) -m pytest -q -m 'slow and not wheel'; \
	else $(PYTHON) -m pytest -q -m 'slow and not system and not wheel'; echo "the slow system tests were not run: they need root"; fi
	@HYBRIDNET_WALK_EXAMPLES=100 $(PYTHON) -m pytest -q $(ON_EVERY_CORE) tests/bad_input  # ten times those of `make test`

fuzz: build-fuzz  ## each fuzz target for SECONDS (600), going on from what earlier such runs found
	@for target in $(FUZZERS)/*_fuzz; do name=$$(basename $$target); echo "$$name"; \
	  mkdir -p build/fuzz/corpus/$$name; \
	  $$target $(FUZZ_FLAGS) -max_total_time=$(or $(SECONDS),600) build/fuzz/corpus/$$name build/fuzz/seeds/$$name; done

build-fuzz:
	@cmake --preset dev --log-level=WARNING >/dev/null && cmake --build --preset dev
	@rm -rf build/fuzz/seeds && mkdir -p build/fuzz && $(FUZZERS)/seeds build/fuzz/seeds

coverage: install coverage-cpp coverage-python  ## lines and branches that the tests reach, of C++ and of Python

coverage-cpp:  ## of simcore, by its unit tests
	@echo "== coverage: simcore"
	@rm -rf build/coverage/profiles && cmake --preset coverage --log-level=WARNING >/dev/null && cmake --build --preset coverage
	@ctest --preset coverage -L layer >/dev/null
	@llvm-profdata merge -o build/coverage/all.profdata build/coverage/profiles/*.profraw
	@cd build/coverage/simcore && llvm-cov report -instr-profile ../all.profdata $$(printf -- '-object %s ' simcore_*_test) \
	  -ignore-filename-regex '/usr/|/tests/' >../report.txt; awk '/^TOTAL/ \
	  { printf "C++: %s of %s lines (%s), %s of %s branches (%s)\n", $$8 - $$9, $$8, $$10, $$11 - $$12, $$11, $$13 }' ../report.txt

coverage-python:  ## of hybridnet, topologies, experiments: by unit tests, and as root by the system tests
	@echo "== coverage: hybridnet"
	@rm -rf build/coverage-python && mkdir -p build/coverage-python
	@$(PYTHON) -m coverage run -m pytest -q $(ON_EVERY_CORE) -m 'not system and not slow'
	@if [ "$$(id -u)" -eq 0 ]; then \
	  $(PYTHON) -m coverage run -m pytest -q $(SOME_AT_A_TIME) -m 'not slow and not alone' tests/system; \
	  $(PYTHON) -m coverage run -m pytest -q -m 'alone and not slow' tests/system; \
	fi
	@$(PYTHON) -m coverage combine -q && $(PYTHON) -m coverage report --skip-covered >build/coverage-python/report.txt
	@tail -1 build/coverage-python/report.txt

stub:  ## write hybridnet/_simcore.pyi anew from the built extension
	@$(PYTHON) -m nanobind.stubgen -q -m hybridnet._simcore -o hybridnet/_simcore.pyi

docs:  ## the documents and the API reference as web pages: build/docs/README.html; a dead link is an error
	@echo "== docs"
	@$(PYTHON) -m sphinx -W --keep-going -q -d build/doctrees -c docs . build/docs

generated: stub  ## what is written from the built extension: the stub, the types of plans, the tables of options in docs/
	@mkdir -p build && $(TYPES_OF_PLANS) >build/plans.py && cp build/plans.py $(PLANS)
	@$(PYTHON) -m hybridnet.describe.options.document docs/*.md

format:  ## let clang-format and ruff format everything
	@clang-format -i $(CXX_SOURCES)
	@$(PYTHON) -m ruff format .
	@$(PYTHON) -m ruff check --fix .

bench: install  ## every benchmark: one JSON file, runs/bench.json
	@cmake --preset bench --log-level=WARNING >/dev/null && cmake --build --preset bench
	@mkdir -p runs
	@$(PYTHON) benchmarks/run.py --binaries build/bench/simcore --out runs/bench.json

clean-build:  ## remove what was built; the environments and runs stay
	rm -rf build hybridnet/_simcore*.so hybridnet/include

.PHONY: help install install-to-run install-to-package test-distributions test-distribution test-wheel packages image test-image demo test test-cpp test-unit test-system check check-thorough check-format check-lint check-types check-layers \
	check-stub check-generated check-reproduced check-tidy check-sanitizers check-threads check-fuzz check-wheel release nightly reproduce reproduce-virtual test-stock coverage \
	coverage-cpp coverage-python check-slow check-analyzer fuzz build-fuzz stub docs generated format bench clean-build
