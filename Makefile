# The commands of the project. Each installs missing Debian packages and prints what it installs. With INSTALL=no it
# stops instead, and prints what to install.

SWIFT ?= swift
ON_ONE_THREAD = ObservationModelTests|RandomOperationTests|DepotTests|DefectTests|SimulatedOverloadTests|SimulatedLifetimeTests|SimulatedInterceptionTests|SimulatedHotelTests|PolicyModelTests|PaneModelTests|EntryModelTests
LINTED = Package.swift Sources Plugins Tests Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests Benchmarks/Durability/Package.swift \
	Benchmarks/Durability/Sources Examples

.PHONY: help demo inventory test test-packages test-durability test-replication test-postgres test-release test-thread test-address simulate explore fuzz soak lint format docs bench bench-glibc bench-durable budgets pictures clean

help:
	@echo "make demo          build FlightBoard in release mode, and replay January 2013"
	@echo "make test          run all tests of the package; ARGUMENTS=\"--filter ObserversTests\" selects tests"
	@echo "make test-packages  run the tests of the nested packages: the benchmarks and the inventory"
	@echo "make test-durability  run the tests of durable stores and of logs in files; KILLS=… sets the number of kills, 500"
	@echo "make test-replication  test replicas and durable stores under kills, data loss, fail-over and wrong clocks of servers,"
	@echo "                   and check their histories; KILLS=… sets the number, 20, HISTORIES=folder keeps failing ones"
	@echo "make test-postgres  run the tests of logs in PostgreSQL, on servers that the tests start"
	@echo "make inventory     run orders and a stock on several machines, kill processes, and check that nothing is lost;"
	@echo "                   ENGINE=postgres keeps the stock in PostgreSQL instead of Redis"
	@echo "make test-release  test what optimisers can break: messages of misuse, and isolation of callers, in a release build"
	@echo "make test-thread   run the tests under the thread sanitizer"
	@echo "make test-address  run the tests under the address sanitizer"
	@echo "make simulate      check all guarantees under 100,000 seeds of the simulation; SEEDS=… sets the number"
	@echo "make explore       run the engine's threads in many interleavings, SEEDS=100000 for each scenario"
	@echo "make fuzz          fuzz state machines and parsers, SECONDS=60 each"
	@echo "make soak          run all features concurrently for MINUTES=1, and check for losses and leaks"
	@echo "make lint          check the format; make format corrects it"
	@echo "make docs          build the documentation, with warnings as errors"
	@echo "make bench         run the benchmarks and their baselines; ARGUMENTS=--help lists the options"
	@echo "make bench-glibc   run them with the system's allocator instead of jemalloc"
	@echo "make bench-durable  compare durable stores with plain SQLite, PostgreSQL and Redis"
	@echo "make budgets       check the limits for allocations, bytes, ratios and instructions"
	@echo "make pictures      draw the pictures of the README; ARGUMENTS=--check reports outdated ones instead"

demo: prerequisites
	$(SWIFT) run -c release flightboard $(ARGUMENTS)

inventory: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	$(SWIFT) run -c release --package-path Examples/Inventory inventory $(ARGUMENTS) $(if $(ENGINE),--engine $(ENGINE))

test: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	.ci/test $(ARGUMENTS)

test-packages: prerequisites-with-jemalloc prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	$(SWIFT) test --quiet --package-path Benchmarks
	$(SWIFT) test --quiet --package-path Examples/Inventory

test-durability: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	KILLS=$(or $(KILLS),500) .ci/test --filter "ActorStorePersistenceTests|ActorStoreSQLiteTests"

test-replication: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	KILLS=$(or $(KILLS),20) .ci/test --filter "^ReplicationTests"

test-postgres: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	.ci/test --filter ActorStorePostgresTests

# Separate, because it is a release build.
test-release: prerequisites
	.ci/test-release

test-thread: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
# Excludes the tests of millions of steps and the simulations of thousands of seeds: they run on one thread and cannot
# race. Costs are not measured, because they are those of the sanitizer. Runs 16 tests at a time, so that a test's time
# limit measures that test alone. Hash values are equal in each process, as in .ci/test: some tests count key accesses.
	SWIFT_DETERMINISTIC_HASHING=1 COSTS=none HISTORIES=200 \
		$(SWIFT) test --enable-all-traits --sanitize=thread --scratch-path .build/thread --skip "$(ON_ONE_THREAD)" \
		--experimental-maximum-parallelization-width 16

# The leak checker is off, because it reports leaks of the test runner; lifetimes have their own tests. Excludes the
# tests of millions of steps, which take too long here.
test-address: prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	SWIFT_DETERMINISTIC_HASHING=1 ASAN_OPTIONS=detect_leaks=0 COSTS=none HISTORIES=200 \
		$(SWIFT) test --enable-all-traits --sanitize=address --scratch-path .build/address --skip "ObservationModelTests|RandomOperationTests"

SEEDS ?= 100000
simulate: prerequisites
	SIMULATION_SEEDS=$(SEEDS) .ci/simulate

explore: prerequisites
	EXPLORER_SEEDS=$(SEEDS) .ci/explore

# SECONDS is a variable of the shell, so it is passed on under another name.
fuzz: prerequisites
	SECONDS_EACH=$(or $(SECONDS),60) .ci/fuzz

soak: prerequisites-with-jemalloc
	$(SWIFT) run -c release --package-path Benchmarks soak --minutes $(or $(MINUTES),1) $(ARGUMENTS)

lint: prerequisites
	$(SWIFT) format lint --strict --recursive $(LINTED)
	@! grep -rn '^[^/]*weak let' Sources || { echo 'Swift 6.2 has no `weak let`: use WeakReference, or `weak var` in a struct.'; exit 1; }

format: prerequisites
	$(SWIFT) format --in-place --recursive $(LINTED)

docs: prerequisites
	.ci/docs

bench: prerequisites-with-jemalloc
	$(SWIFT) run -c release --package-path Benchmarks bench $(ARGUMENTS)

# Uses the system's allocator, which does not count allocations.
bench-glibc: prerequisites
	BENCHMARK_DISABLE_JEMALLOC=1 $(SWIFT) run -c release --package-path Benchmarks \
		--scratch-path Benchmarks/.build/glibc bench $(ARGUMENTS)

# The benchmarks load the library SlowSync, which slows down the syncs of servers.
bench-durable: prerequisites-with-jemalloc prerequisites-with-sqlite prerequisites-with-redis prerequisites-with-postgres
	$(SWIFT) build -c release --package-path Benchmarks/Durability --product SlowSync
	$(SWIFT) run -c release --package-path Benchmarks/Durability bench-durable $(ARGUMENTS)

budgets:
	Perf/check $(ARGUMENTS)

pictures: prerequisites-with-jemalloc
	$(SWIFT) run -c release --package-path Benchmarks bench pictures Documentation/Pictures/pictures.json \
		--from Perf/Results/results.json $(ARGUMENTS)

clean:
	rm -rf .build Benchmarks/.build Benchmarks/Durability/.build Examples/Inventory/.build Tests/Fuzzing/.build

.PHONY: prerequisites prerequisites-with-jemalloc prerequisites-with-sqlite prerequisites-with-redis \
	prerequisites-with-postgres
prerequisites:
	@.ci/prerequisites

prerequisites-with-jemalloc:
	@.ci/prerequisites libjemalloc-dev

prerequisites-with-sqlite:
	@.ci/prerequisites libsqlite3-dev pkg-config

# Does not start Debian's service: the tests start their own servers.
prerequisites-with-redis:
	@.ci/prerequisites libhiredis-dev redis-server

# Does not start Debian's server: the tests start their own servers.
prerequisites-with-postgres:
	@.ci/prerequisites libpq-dev pkg-config postgresql
