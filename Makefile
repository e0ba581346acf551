# The commands of the project. Each installs what it needs from Debian, and says so, if something is missing; with
# INSTALL=no it stops instead, and says what to install.

SWIFT ?= swift
ON_ONE_THREAD = ObservationModelTests|RandomOperationTests|DepotTests|DefectTests|SimulatedOverloadTests|SimulatedLifetimeTests|SimulatedInterceptionTests|SimulatedHotelTests|PolicyModelTests|PaneModelTests|EntryModelTests
LINTED = Package.swift Sources Plugins Tests Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Tests Benchmarks/Durability/Package.swift \
	Benchmarks/Durability/Sources Examples

.PHONY: help demo inventory test test-packages test-durability test-replication test-postgres test-release test-thread test-address simulate explore fuzz soak lint format docs bench bench-glibc bench-durable budgets pictures clean

help:
	@echo "make demo          build FlightBoard in release mode, and replay January 2013"
	@echo "make test          all tests of the package; ARGUMENTS=\"--filter ObserversTests\" for some of them"
	@echo "make test-packages the tests of the nested packages: the benchmarks and the inventory"
	@echo "make test-durability  the tests of durable stores and of logs in files; KILLS=20 for another number of kills"
	@echo "make test-replication  kills, loses, fails over and misleads servers under replicas and durable stores, and checks"
	@echo "                   their histories; KILLS=300 for how often, HISTORIES=folder keeps those that fail"
	@echo "make test-postgres  the tests of logs in PostgreSQL, with servers of their own"
	@echo "make inventory     orders and a stock on several machines; kills parts of it, and looks for what is lost;"
	@echo "                   ENGINE=postgres keeps the stock in PostgreSQL instead of Redis"
	@echo "make test-release  what optimisers can break: messages of misuse, and isolation of callers, in a release build"
	@echo "make test-thread   the tests under the thread sanitizer"
	@echo "make test-address  the tests under the address sanitizer"
	@echo "make simulate      all guarantees under 100,000 seeds of the simulation; SEEDS=… for another number"
	@echo "make explore       take the engine's threads through interleavings, SEEDS=… for each scenario"
	@echo "make fuzz          feed state machines and parsers with made-up inputs, SECONDS=60 each"
	@echo "make soak          do everything at once for MINUTES=1, and look for what is lost or left behind"
	@echo "make lint          check the format; make format mends it"
	@echo "make docs          build the documentation, with every warning an error"
	@echo "make bench         measure, side by side with the baselines; ARGUMENTS=--help says what else it can do"
	@echo "make bench-glibc   the same with the system's allocator instead of jemalloc"
	@echo "make bench-durable  measure durable stores beside SQLite, PostgreSQL and Redis themselves"
	@echo "make budgets       check that nothing costs more than it may"
	@echo "make pictures      draw the pictures of the README; ARGUMENTS=--check only says which are not current"

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

# Apart, because it is a release build.
test-release: prerequisites
	.ci/test-release

test-thread: prerequisites
# Without the tests of millions of steps, and the simulations of thousands of seeds, which are on one thread, and so have
# nothing to show it. Costs are not measured: they are those of the sanitizer.
# A few at a time, so that the time limit of a test is that of itself. With the same hash values in each process, as in
# .ci/test: some tests count how often keys are looked at.
	SWIFT_DETERMINISTIC_HASHING=1 COSTS=none HISTORIES=200 \
		$(SWIFT) test --enable-all-traits --sanitize=thread --scratch-path .build/thread --skip "$(ON_ONE_THREAD)" \
		--experimental-maximum-parallelization-width 16

# The leak checker counts what the test runner itself leaves behind, so it is off; lifetimes have tests of their own.
# Without the tests of millions of steps, which take too long here.
test-address: prerequisites
	SWIFT_DETERMINISTIC_HASHING=1 ASAN_OPTIONS=detect_leaks=0 COSTS=none HISTORIES=200 \
		$(SWIFT) test --enable-all-traits --sanitize=address --scratch-path .build/address --skip "ObservationModelTests|RandomOperationTests"

SEEDS ?= 100000
simulate: prerequisites
	SIMULATION_SEEDS=$(SEEDS) .ci/simulate

explore: prerequisites
	EXPLORER_SEEDS=$(SEEDS) .ci/explore

# SECONDS is a variable of the shell itself, so that it is handed on under another name.
fuzz: prerequisites
	SECONDS_EACH=$(or $(SECONDS),60) .ci/fuzz

soak: prerequisites-with-jemalloc
	$(SWIFT) run -c release --package-path Benchmarks soak --minutes $(or $(MINUTES),1) $(ARGUMENTS)

lint: prerequisites
	$(SWIFT) format lint --strict --recursive $(LINTED)

format: prerequisites
	$(SWIFT) format --in-place --recursive $(LINTED)

docs: prerequisites
	.ci/docs

bench: prerequisites-with-jemalloc
	$(SWIFT) run -c release --package-path Benchmarks bench $(ARGUMENTS)

# The same with the system's allocator, which does not count.
bench-glibc: prerequisites
	BENCHMARK_DISABLE_JEMALLOC=1 $(SWIFT) run -c release --package-path Benchmarks \
		--scratch-path Benchmarks/.build/glibc bench $(ARGUMENTS)

# The library slows syncs of servers down, and is started by the benchmarks.
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

# Without the service that Debian would start: the tests start servers of their own.
prerequisites-with-redis:
	@.ci/prerequisites libhiredis-dev redis-server

# Without the server that Debian would start: the tests start servers of their own.
prerequisites-with-postgres:
	@.ci/prerequisites libpq-dev pkg-config postgresql
