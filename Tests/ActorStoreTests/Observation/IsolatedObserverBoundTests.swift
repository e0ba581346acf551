import ActorStore
import Testing

@testable import TestFixtures

@Suite("Bounded visits of isolated observers", .timeLimit(.minutes(10)))
struct IsolatedObserverBoundTests {
    /// An actor whose jobs the test runs one by one.
    private actor Dashboard {
        let executor: PatientSerialExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: PatientSerialExecutor) { self.executor = executor }

        func read<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
    }

    private struct Call: Equatable { var observer: Int, value: Int }

    private let executor = PatientSerialExecutor()
    private let calls = Collector<Call>()
    private let time = ManualTime()
    private let store: Store<Int, Int>

    init() {
        var configuration = StoreConfiguration()
        configuration.limits = time.limits
        store = Store(initialState: 0, configuration: configuration) { (number: inout Int, new: Int) in number = new }
    }

    /// Observes with a closure whose calls are collected, and take some time each.
    private func observe(
        from dashboard: Dashboard,
        as observer: Int = 0,
        buffering: BufferingPolicy = .unbounded,
        taking duration: Duration = .zero
    ) -> StoreObservation {
        store.observe(\.self, isolatedTo: dashboard, buffering: buffering) { [calls, time] _, value in
            calls.append(Call(observer: observer, value: value))
            time.advance(by: duration)
        }
    }

    /// Runs the actor's jobs until this number of calls have been made.
    ///
    /// - Returns: The number of calls of each job that made any.
    private func run(until count: Int) async -> [Int] {
        var rounds: [Int] = []
        while calls.elements.count < count {
            let before = calls.elements.count
            await executor.runNext()
            let made = calls.elements.count - before
            if made > 0 { rounds.append(made) }
        }
        return rounds
    }

    @Test("Another job of the actor is served after 64 calls, and every value arrives in order")
    func otherJob() async {
        let dashboard = Dashboard(executor)
        let token = observe(from: dashboard)
        for number in 1...200 { store.send(number) }
        await executor.waitForJobs(1)
        let other = Task { [calls] in await dashboard.read { calls.elements.count } }
        await executor.waitForJobs(2)
        await executor.runNext()
        await executor.runNext()
        #expect(await other.value == 64)
        #expect(await run(until: 201) == [64, 64, 9])
        #expect(calls.elements.map(\.value) == Array(0...200))
        token.cancel()
    }

    @Test("No call begins once a millisecond has passed")
    func time() async {
        let dashboard = Dashboard(executor)
        let token = observe(from: dashboard, taking: .microseconds(300))
        for number in 1...10 { store.send(number) }
        #expect(await run(until: 11) == [4, 4, 3])
        #expect(calls.elements.map(\.value) == Array(0...10))
        token.cancel()
    }

    @Test("A call that takes longer than a millisecond is the only one of its visit")
    func slowCalls() async {
        let dashboard = Dashboard(executor)
        let tokens = (0..<3).map { observe(from: dashboard, as: $0, taking: .seconds(1)) }
        #expect(await run(until: 3) == [1, 1, 1])
        #expect(calls.elements.map(\.observer) == [0, 1, 2])
        withExtendedLifetime(tokens) {}
    }

    @Test("The bound counts the calls of all observers, which keep their order")
    func allObservers() async {
        let dashboard = Dashboard(executor)
        let tokens = (0..<100).map { observe(from: dashboard, as: $0, buffering: .latest) }
        #expect(await run(until: 100) == [64, 36])
        store.send(1)
        #expect(await run(until: 200) == [64, 36])
        #expect(calls.elements.prefix(100).map(\.observer) == Array(0..<100))
        #expect(calls.elements.suffix(100) == (0..<100).map { Call(observer: $0, value: 1) }[...])
        withExtendedLifetime(tokens) {}
    }

    @Test("An observer with more values than a visit delivers does not delay the others")
    func fairness() async {
        let dashboard = Dashboard(executor)
        let tokens = [observe(from: dashboard, as: 0), observe(from: dashboard, as: 1, buffering: .latest)]
        for number in 1...200 { store.send(number) }
        #expect(await run(until: 202).first == 64)
        #expect(calls.elements.firstIndex(of: Call(observer: 1, value: 200)) == 64)
        #expect(calls.elements.filter { $0.observer == 0 }.map(\.value) == Array(0...200))
        withExtendedLifetime(tokens) {}
    }

    @Test("An observer that sends what it observes does not occupy its actor")
    func feedback() async {
        let dashboard = Dashboard(executor)
        let token = store.observe(\.self, isolatedTo: dashboard) { [calls, weak store] _, value in
            calls.append(Call(observer: 0, value: value))
            if value < 200 { store?.send(value + 1) }
        }
        #expect(await run(until: 201) == [64, 64, 64, 9])
        token.cancel()
    }

    @Test("No call begins after a cancellation between two visits")
    func cancellation() async {
        let dashboard = Dashboard(executor)
        let token = observe(from: dashboard)
        let other = observe(from: dashboard, as: 1)
        for number in 1...100 { store.send(number) }
        #expect(await run(until: 1) == [64])
        token.cancel()
        _ = await run(until: 64 + 101)
        #expect(calls.elements.dropFirst(64).allSatisfy { $0.observer == 1 })
        other.cancel()
    }

    @Test("Visits do not keep their actor alive, and the observation ends with it")
    func release() async {
        var dashboard: Dashboard? = Dashboard(executor)
        weak let observed = dashboard
        let token = dashboard.map { observe(from: $0) }
        for number in 1...1_000 { store.send(number) }
        #expect(await run(until: 1) == [64])
        dashboard = nil
        // The next visit may have begun, and occupies the actor while it lasts.
        await until {
            executor.runAvailable()
            return observed == nil
        }
        store.send(0)
        await until { await store.observerRecords.isEmpty }
        withExtendedLifetime(token) {}
    }

    @Test("Another job of an executor is served after 64 calls of its observers")
    func executorForm() async {
        let executor = PatientExecutor()
        let marks = Collector<Int>()
        let token = store.values(of: \.self, buffering: .unbounded).observe(on: executor) { [calls] value in
            calls.append(Call(observer: 0, value: value))
        }
        for number in 1...200 { store.send(number) }
        @Sendable func mark() {
            marks.append(calls.elements.count)
            if calls.elements.count < 201 { Task(executorPreference: executor) { mark() } }
        }
        Task(executorPreference: executor) { mark() }
        executor.runAll()
        #expect(calls.elements.map(\.value) == Array(0...200))
        #expect(zip([0] + marks.elements, marks.elements).allSatisfy { $1 - $0 <= 64 }, "\(marks.elements)")
        token.cancel()
    }

    @Test("Another job of the main actor is served after 64 calls")
    func mainActor() async {
        let marks = Collector<Int>()
        let token = await MainActor.run {
            let token = store.observe(\.self, isolatedTo: MainActor.shared, buffering: .unbounded) { [calls] _, value in
                calls.append(Call(observer: 0, value: value))
                if value == 0 { Task { @MainActor in marks.append(calls.elements.count) } }
            }
            for number in 1...200 { store.send(number) }
            return token
        }
        await until { !(calls.elements.count < 201 || marks.elements.isEmpty) }
        #expect(marks.elements == [64])
        #expect(calls.elements.map(\.value) == Array(0...200))
        token.cancel()
    }
}
