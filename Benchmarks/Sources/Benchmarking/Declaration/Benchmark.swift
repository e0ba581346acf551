/// One thing to measure, declared with its set-up and the benchmarks that it is compared with.
///
/// ```swift
/// Benchmark("send", parameters: ["producers": 1], comparedWith: ["serial queue"]) {
///     Store(initialState: Account.State(), reducer: Account())
/// } measure: { store, count in
///     for _ in 0..<count {
///         store.send(.book(1))
///         barrier()
///     }
/// }
/// ```
///
/// The closure gets the number of operations, because most operations are shorter than a reading of the clock. The
/// harness chooses the number, and divides.
public struct Benchmark: Sendable {
    /// The name of the measured operation, unique within its suite together with the parameters.
    public let name: String
    /// The difference from benchmarks of the same name, such as the number of observers.
    public let parameters: Parameters
    /// The names of the compared benchmarks in the same suite, with the same parameters. They run interleaved with this
    /// one, and the report has the ratio of each round. The first one is the main one.
    public let baselines: [String]
    /// The duration of the measurement, and the operations per sample.
    public let configuration: Configuration

    let kind: Kind

    enum Kind: Sendable {
        case throughput(Producers, @Sendable () async throws -> Session<Int>)
        /// The argument of an operation is the moment from which its latency counts.
        case latency(LatencyLoads, callers: Producers, @Sendable () async throws -> Session<Int>)
        case memory(count: Int, @Sendable () async throws -> Session<Int>)

        var name: String {
            switch self {
            case .throughput: "throughput"
            case .latency: "latency"
            case .memory: "memory"
            }
        }
    }

    /// The producers that run the operations of a throughput benchmark.
    var producers: Producers {
        if case .throughput(let producers, _) = kind { producers } else { .one }
    }

    /// A set-up fixture with its operations. The closures hide the type of the fixture.
    struct Session<Argument>: Sendable {
        /// Reserves room for a number of objects before they are counted.
        var prepare: @Sendable (Argument) -> Void = { _ in }
        /// Runs a number of operations, or creates a number of objects, and returns the fairness of the producers.
        let run: @Sendable (Argument) async throws -> Double?
        /// Waits until all effects of the operations were seen, and returns the latencies since the last call, in
        /// picoseconds; nil if an operation has ended when it returns.
        var observe: (@Sendable () async throws -> Histogram)?
        let tearDown: @Sendable () async throws -> Void
    }

    /// A benchmark of the duration and the allocations of an operation.
    ///
    /// - Parameters:
    ///   - name: The name of the measured operation.
    ///   - parameters: The difference from benchmarks of the same name.
    ///   - baselines: The names of benchmarks of the same suite with the same parameters.
    ///   - configuration: The duration and the number of samples.
    ///   - producers: The producers of the operations.
    ///   - setUp: Creates the fixture, outside the measurement.
    ///   - tearDown: Ends what `setUp` began, outside the measurement.
    ///   - measure: Runs the given number of operations. Each producer calls it with its share.
    ///   - finish: Waits for everything that the producers have begun; a part of the measurement.
    public init<Fixture: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        configuration: Configuration = Configuration(),
        producers: Producers = .one,
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        measure: @escaping @Sendable (_ fixture: Fixture, _ count: Int) async throws -> Void,
        finish: @escaping @Sendable (Fixture) async throws -> Void = { _ in }
    ) {
        self.name = name
        self.parameters = parameters
        self.baselines = baselines
        self.configuration = configuration
        kind = .throughput(producers) {
            let fixture = try await setUp()
            let group = ProducerGroup(producers)
            return Session { count in
                let fairness = try await group.produce(count) { try await measure(fixture, $0) }
                try await finish(fixture)
                return fairness
            } tearDown: {
                try await tearDown(fixture)
            }
        }
    }

    /// A benchmark of the duration of an operation from its intended start, when operations arrive at a fixed rate.
    ///
    /// Operations back to back show the speed of an operation, but not the wait of a caller: while one of them is
    /// delayed none begins, and the delays of those that should have begun are not measured (Tene, "How NOT to measure
    /// latency", and its remedy in wrk2). Here each operation has an intended start, and its latency counts from there.
    ///
    /// - Parameters:
    ///   - name: The name of the measured operation.
    ///   - parameters: The difference from benchmarks of the same name.
    ///   - baselines: The names of benchmarks of the same suite with the same parameters.
    ///   - loads: The rates. Baselines have the loads of the compared benchmark.
    ///   - callers: The number of concurrent callers. Several callers call at random moments (a Poisson process), each
    ///     on its own thread with its share of the rate.
    ///   - configuration: The duration of each load.
    ///   - setUp: Creates the fixture, outside the measurement.
    ///   - tearDown: Ends what `setUp` began, outside the measurement.
    ///   - operation: One operation, which ends when the event awaited by the caller has happened.
    public static func latency<Fixture: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        loads: LatencyLoads = .fractions([0.1, 0.25, 0.5, 0.75, 0.9]),
        callers: Int = 1,
        configuration: Configuration = Configuration(),
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        operation: @escaping @Sendable (Fixture) async throws -> Void
    ) -> Benchmark {
        Benchmark(
            name,
            parameters,
            baselines,
            configuration,
            .latency(loads, callers: callers > 1 ? .threads(callers) : .one) {
                let fixture = try await setUp()
                return Session { _ in
                    try await operation(fixture)
                    return nil
                } tearDown: {
                    try await tearDown(fixture)
                }
            }
        )
    }

    /// A benchmark of the time until the result of an operation was seen elsewhere, such as in other processes, which
    /// measure it themselves. The latency counts from the same moment as in
    /// ``latency(_:parameters:comparedWith:loads:callers:configuration:setUp:tearDown:operation:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the measured operation.
    ///   - parameters: The difference from benchmarks of the same name.
    ///   - baselines: The names of benchmarks of the same suite with the same parameters.
    ///   - loads: The rates. Baselines have the loads of the compared benchmark.
    ///   - callers: The callers. Several callers call at random moments, if there is a rate.
    ///   - configuration: The duration of each load.
    ///   - setUp: Creates the fixture, outside the measurement.
    ///   - tearDown: Ends what `setUp` began, outside the measurement.
    ///   - operation: One operation, with the moment from which its latency counts, by ``MonotonicClock``.
    ///   - observe: Waits until all effects of the operations were seen, and returns the latencies since the last call,
    ///     in picoseconds.
    public static func propagation<Fixture: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        loads: LatencyLoads,
        callers: Producers = .one,
        configuration: Configuration = Configuration(),
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        operation: @escaping @Sendable (_ fixture: Fixture, _ start: Int) async throws -> Void,
        observe: @escaping @Sendable (Fixture) async throws -> Histogram
    ) -> Benchmark {
        Benchmark(
            name,
            parameters,
            baselines,
            configuration,
            .latency(loads, callers: callers) {
                let fixture = try await setUp()
                var session = Session<Int> {
                    try await operation(fixture, $0)
                    return nil
                } tearDown: {
                    try await tearDown(fixture)
                }
                session.observe = { try await observe(fixture) }
                return session
            }
        )
    }

    /// A benchmark of the bytes that an object retains on the heap.
    ///
    /// - Parameters:
    ///   - name: The name of the measured object.
    ///   - parameters: The difference from benchmarks of the same name.
    ///   - baselines: The names of benchmarks of the same suite with the same parameters.
    ///   - count: The number of objects. Twice as many are created afterwards, and the difference is reported, so that
    ///     one-time costs do not count.
    ///   - setUp: Creates what the objects need, outside the measurement.
    ///   - tearDown: Ends what `setUp` began.
    ///   - make: Creates one object, and returns what retains it. The place of that reference is not counted.
    ///   - release: Ends what an object began, after all have been counted.
    public static func memory<Fixture: Sendable, Kept: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        count: Int = 10_000,
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        make: @escaping @Sendable (_ fixture: Fixture) async throws -> Kept,
        release: @escaping @Sendable (Kept) -> Void = { _ in }
    ) -> Benchmark {
        Benchmark(
            name,
            parameters,
            baselines,
            Configuration(),
            .memory(count: count) {
                let fixture = try await setUp()
                let keeper = Keeper<Kept>()
                return Session {
                    keeper.reserve($0)
                } run: {
                    for _ in 0..<$0 { keeper.keep(try await make(fixture)) }
                    return nil
                } tearDown: {
                    for kept in keeper.release() { release(kept) }
                    try await tearDown(fixture)
                }
            }
        )
    }

    /// A benchmark of the bytes of an object that cannot be retained by itself, such as an entry of a table.
    ///
    /// - Parameters:
    ///   - name: The name of the measured object.
    ///   - parameters: The difference from benchmarks of the same name.
    ///   - baselines: The names of benchmarks of the same suite with the same parameters.
    ///   - count: The initial number of objects; twice as many are created afterwards, and the difference is reported.
    ///   - makeAll: Creates the given number of objects, and returns what retains them, which is counted with them.
    public static func memory<Kept: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        count: Int = 10_000,
        makeAll: @escaping @Sendable (_ count: Int) async throws -> Kept
    ) -> Benchmark {
        Benchmark(
            name,
            parameters,
            baselines,
            Configuration(),
            .memory(count: count) {
                let keeper = Keeper<Kept>()
                return Session { _ in
                    keeper.reserve(1)
                } run: {
                    keeper.keep(try await makeAll($0))
                    return nil
                } tearDown: {
                    _ = keeper.release()
                }
            }
        )
    }

    private init(
        _ name: String,
        _ parameters: Parameters,
        _ baselines: [String],
        _ configuration: Configuration,
        _ kind: Kind
    ) {
        self.name = name
        self.parameters = parameters
        self.baselines = baselines
        self.configuration = configuration
        self.kind = kind
    }
}

extension Benchmark {
    /// Runs a number of operations, and measures nothing.
    func repeatOperations(_ count: Int) async throws {
        switch kind {
        case .throughput(_, let setUp), .memory(_, let setUp):
            let session = try await setUp()
            _ = try await session.run(count)
            try await session.tearDown()
        case .latency(_, _, let setUp):
            let session = try await setUp()
            for _ in 0..<count { _ = try await session.run(MonotonicClock.now) }
            _ = try await session.observe?()
            try await session.tearDown()
        }
    }
}
