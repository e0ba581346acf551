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
        case throughput(@Sendable () async throws -> Session<Int>)
        case latency(loads: [Double], @Sendable () async throws -> Session<Void>)
        case memory(count: Int, @Sendable () async throws -> Session<Int>)

        var name: String {
            switch self {
            case .throughput: "throughput"
            case .latency: "latency"
            case .memory: "memory"
            }
        }
    }

    /// A fixture that was set up, with what is done to it. The type of the fixture is hidden in the closures.
    struct Session<Argument>: Sendable {
        let run: @Sendable (Argument) async throws -> Void
        let tearDown: @Sendable () async throws -> Void
    }

    /// A benchmark of how long an operation takes, and what it allocates.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - configuration: how long and how often.
    ///   - setUp: makes what is measured, outside the measurement.
    ///   - tearDown: ends what `setUp` began, outside the measurement.
    ///   - measure: does as many operations as it is told.
    public init<Fixture: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        configuration: Configuration = Configuration(),
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        measure: @escaping @Sendable (_ fixture: Fixture, _ count: Int) async throws -> Void
    ) {
        self.name = name
        self.parameters = parameters
        self.baselines = baselines
        self.configuration = configuration
        kind = .throughput {
            let fixture = try await setUp()
            return Session {
                try await measure(fixture, $0)
            } tearDown: {
                try await tearDown(fixture)
            }
        }
    }

    /// A benchmark of how long an operation takes from the moment at which it should have begun, when operations come at
    /// a fixed rate.
    ///
    /// Operations that come back to back tell how fast something is, but not how long a caller waits: while one of them
    /// is delayed none begins, and the delays of those that should have begun are not seen (Tene, "How NOT to measure
    /// latency", and its remedy in wrk2). Here each operation has an intended start, and its latency counts from there.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters. They are offered the same
    ///     rates, in operations a second.
    ///   - loads: the rates, as fractions of what this benchmark attains back to back.
    ///   - configuration: how long each load is offered.
    ///   - setUp: makes what is measured, outside the measurement.
    ///   - tearDown: ends what `setUp` began, outside the measurement.
    ///   - operation: one operation, that ends when what the caller waits for has happened.
    public static func latency<Fixture: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        loads: [Double] = [0.1, 0.25, 0.5, 0.75, 0.9, 1],
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
            .latency(loads: loads) {
                let fixture = try await setUp()
                return Session {
                    try await operation(fixture)
                } tearDown: {
                    try await tearDown(fixture)
                }
            }
        )
    }

    /// A benchmark of how many bytes an object holds on the heap.
    ///
    /// - Parameters:
    ///   - name: what is measured.
    ///   - parameters: what distinguishes it from others of the same name.
    ///   - baselines: names of benchmarks of the same suite and with the same parameters.
    ///   - count: how many objects are made, so that one-time costs do not count.
    ///   - setUp: makes what the objects need, outside the measurement.
    ///   - tearDown: ends what `setUp` began.
    ///   - make: makes as many objects as it is told, and returns what keeps them.
    public static func memory<Fixture: Sendable, Kept: Sendable>(
        _ name: String,
        parameters: Parameters = [:],
        comparedWith baselines: [String] = [],
        count: Int = 1_000,
        setUp: @escaping @Sendable () async throws -> Fixture,
        tearDown: @escaping @Sendable (Fixture) async throws -> Void = { _ in },
        make: @escaping @Sendable (_ fixture: Fixture, _ count: Int) async throws -> Kept
    ) -> Benchmark {
        Benchmark(
            name,
            parameters,
            baselines,
            Configuration(),
            .memory(count: count) {
                let fixture = try await setUp()
                let keeper = Keeper()
                return Session {
                    keeper.keep(try await make(fixture, $0))
                } tearDown: {
                    keeper.release()
                    try await tearDown(fixture)
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
        case .throughput(let setUp), .memory(_, let setUp):
            let session = try await setUp()
            try await session.run(count)
            try await session.tearDown()
        case .latency(_, let setUp):
            let session = try await setUp()
            for _ in 0..<count { try await session.run(()) }
            try await session.tearDown()
        }
    }
}
