# The front door. Each target works alone on a Debian 12 machine with only git and make: it installs
# what is missing (tools/setup), builds with CMake and Ninja, and does its work.

PREFIX ?= /usr/local
SECONDS ?= 60

.PHONY: build help run test test-dev test-bare test-tsan build-clang test-clang coverage mutants \
        nightly check format bench fuzz install deb try-deb clean setup

build: ## build build/bin/sepal and build/lib (the default)
	@tools/setup build
	@tools/build release sepal sepal_shared sepal_archive sepal_manual

help: ## this list
	@sed -nE 's/^([a-z][a-z -]*):[^#]*## (.*)/  make \1\t\2/p' Makefile | expand -t 38

run: build ## build, then learn to tell tumours apart, and see it on a page
	@tools/demo

test: ## build and run all tests; NAME=regex for some
	@tools/setup test
	@tools/test release "$(NAME)"

test-dev test-bare test-tsan: ## those tests that another preset can show something by
	@tools/setup test
	@tools/test $(@:test-%=%) "$(NAME)"

build-clang: ## build everything with the second compiler
	@tools/setup check
	@tools/build clang

test-clang: ## all tests with the second compiler
	@tools/setup check
	@tools/test clang "$(NAME)"

coverage: ## lines and branches that the tests reach; fails when the readers have one that is not
	@tools/setup test
	@tools/coverage $(NAME)

mutants: ## break readers, numbers, files, models and solvers in turn: do the tests notice? NAME=20 for some
	@tools/setup test
	@tools/mutants $(NAME)

nightly: ## the tests in their long variants under all presets, coverage, fuzzers, mutants
	@SEPAL_NIGHTLY=1 $(MAKE) --keep-going check test test-dev test-tsan coverage
	@SEPAL_NIGHTLY=1 $(MAKE) fuzz SECONDS=300
	@$(MAKE) mutants

check: ## form, lint, layers, banned calls
	@tools/setup check
	@tools/check

format: ## bring all C files into form
	@tools/setup check
	@tools/check --fix

bench: ## measure against other programs, for hours; NAME=regex for some; SEPAL_DATA=DIR for data sets
	@tools/setup bench
	@tools/build release sepal sepal_static sepal_shared
	@tools/bench "$(NAME)"

fuzz: ## feed the parsers made-up input; SECONDS=60 for each, NAME=csv for one
	@tools/setup fuzz
	@tools/fuzz $(SECONDS) $(NAME)

install: build ## install to PREFIX (/usr/local) under DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

deb: build ## make build/sepal_VERSION_ARCH.deb
	@tools/setup deb
	@tools/deb build

try-deb: build ## install it in a bare Debian root, use it there, remove it; needs root
	@tools/setup try-deb
	@tools/try-deb "$$(tools/deb build)"

clean: ## remove all that was built
	rm -rf build

setup: ## install what all targets need
	@for what in build test check bench fuzz deb try-deb; do tools/setup $$what || exit 1; done
