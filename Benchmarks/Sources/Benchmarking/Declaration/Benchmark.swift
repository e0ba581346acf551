/// One thing to measure, declared with its set-up, and with those it is compared with.
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
/// The closure gets the number of operations to do, because most operations are shorter than a look at the clock. The
/// harness chooses the number, and divides.
public struct Benchmark: Sendable {
    /// What is measured, unique within its suite together with the parameters.
    public let name: String
    /// What distinguishes it from benchmarks of the same name, such as the number of observers.
    public let parameters: Parameters
    /// The names of the benchmarks in the same suite, with the same parameters, that it is compared with. They run
    /// interleaved with it, and the report gives the ratio of each round. The first one is the main one.
    public let baselines: [String]
    /// How long it is measured, and with how many operations at a time.
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

    /// Who does the operations of a benchmark of throughput.
    var producers: Producers {
        if case .throughput(let producers, _) = kind { producers } else { .one }
    }

    /// A fixture that was set up, with what is done to it. The type of the fixture is hidden in the closures.
    struct Session<Argument>: Sendable {
        /// Makes room for so many objects, before they are counted.
        var prepare: @Sendable (Argument) -> Void = { _ in }
        /// Does so many operations, or makes so many objects, and returns how fair the producers were to each other.
        let run: @Sendable (Argument) async throws -> Double?
        /// Waits until all of what was done has been seen, and returns the latencies since the last call, in
        /// picoseconds; nil if an operation has ended when it returns.
        var observe: (@Sendable () async throws -> Histogram)?
        let tearDown: @Sendable () async throws -> Void
    }

    /// A benchmark of how long an operation takes, and what it allocates.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - configuration: how long and how often.
    ///   - producers: who does the operations.
    ///   - setUp: makes what is measured, outside the measurement.
    ///   - tearDown: ends what `setUp` began, outside the measurement.
    ///   - measure: does as many operations as it is told. Each producer calls it, with its share of them.
    ///   - finish: waits until what all producers have begun is done; a part of the measurement.
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

    /// A benchmark of how long an operation takes from the moment at which it should have begun, when operations come
    /// at a fixed rate.
    ///
    /// Operations that come back to back tell how fast something is, but not how long a caller waits: while one of them
    /// is delayed none begins, and the delays of those that should have begun are not seen (Tene, "How NOT to measure
    /// latency", and its remedy in wrk2). Here each operation has an intended start, and its latency counts from there.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - loads: the rates. Baselines have the loads of the one that is compared with them.
    ///   - callers: how many call at the same time, each at random moments (a Poisson process) on a thread of its own,
    ///     with its share of the rate.
    ///   - configuration: how long each load is offered.
    ///   - setUp: makes what is measured, outside the measurement.
    ///   - tearDown: ends what `setUp` began, outside the measurement.
    ///   - operation: one operation, that ends when what the caller waits for has happened.
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

    /// A benchmark of how long it takes until others have seen what an operation did, such as other processes, which
    /// measure that themselves. The latency counts from the same moment as in
    /// ``latency(_:parameters:comparedWith:loads:callers:configuration:setUp:tearDown:operation:)``.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - loads: the rates. Baselines have the loads of the one that is compared with them.
    ///   - callers: who calls. Several call at random moments, if there is a rate.
    ///   - configuration: how long each load is offered.
    ///   - setUp: makes what is measured, outside the measurement.
    ///   - tearDown: ends what `setUp` began, outside the measurement.
    ///   - operation: one operation, and the moment from which its latency counts, by ``MonotonicClock``.
    ///   - observe: waits until all of what was done has been seen, and returns the latencies since the last call, in
    ///     picoseconds.
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

    /// A benchmark of how many bytes an object holds on the heap.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - count: how many objects are made: so many are counted, and twice as many, and the difference is what the
    ///     report gives, so that one-time costs do not count.
    ///   - setUp: makes what the objects need, outside the measurement.
    ///   - tearDown: ends what `setUp` began.
    ///   - make: makes one object, and returns what keeps it. The place in which it is kept is not counted.
    ///   - release: ends what an object began, when all have been counted.
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

    /// A benchmark of how many bytes an object holds that cannot be kept by itself, such as an entry of a table.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - count: how many objects are made at first; twice as many are made afterwards, and the difference is
    ///     reported.
    ///   - makeAll: makes as many objects as it is told, and returns what keeps them, which is counted with them.
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
    /// Does a number of operations, and measures nothing.
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
