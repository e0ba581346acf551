# The commands of the project. Each installs what it needs from Debian, and says so, if something is missing.

SWIFT ?= swift
LINTED = Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Examples

.PHONY: help demo test test-thread test-address lint format docs bench clean

help:
	@echo "make demo          build FlightBoard in release mode, and replay January 2013"
	@echo "make test          everything that must pass"
	@echo "make test-thread   the tests under the thread sanitizer"
	@echo "make test-address  the tests under the address sanitizer"
	@echo "make lint          check the format; make format mends it"
	@echo "make docs          build the documentation, with every warning an error"
	@echo "make bench         measure, side by side with the baselines"

demo: prerequisites
	$(SWIFT) run -c release flightboard $(ARGUMENTS)

test: prerequisites
	$(SWIFT) test

test-thread: prerequisites
	$(SWIFT) test --sanitize=thread --scratch-path .build/thread

# The leak checker counts what the test runner itself leaves behind, so it is off; lifetimes have tests of their own.
test-address: prerequisites
	ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --sanitize=address --scratch-path .build/address

lint: prerequisites
	$(SWIFT) format lint --strict --recursive $(LINTED)

format: prerequisites
	$(SWIFT) format --in-place --recursive $(LINTED)

docs: prerequisites
	.ci/docs

bench: prerequisites
	$(SWIFT) run -c release --package-path Benchmarks bench $(ARGUMENTS)

clean:
	rm -rf .build Benchmarks/.build

.PHONY: prerequisites
prerequisites:
	@.ci/prerequisites
