import ActorStore
import ActorStoreTesting
import Foundation
import Synchronization
import Testing

@Suite("Observation of unusual states", .timeLimit(.minutes(10)))
struct UnusualStateTests {
    private struct NoBytes: Equatable, Sendable {}

    @Test("A state without bytes is observed like any other one")
    func withoutBytes() async throws {
        let store = Store(initialState: NoBytes()) { (_: inout NoBytes, _: Int) in }
        let seen = Collector<NoBytes>()
        let observation = store.observe(\.self) { seen.append($0) }
        var values = store.values(of: \.self).makeAsyncIterator()
        #expect(seen.elements == [NoBytes()])
        #expect(await values.next() == NoBytes())
        #expect(store.scope(\.self).snapshot == NoBytes())
        try await store.dispatch(1)
        #expect(seen.elements == [NoBytes()])
        withExtendedLifetime(observation) {}
    }

    /// Equal to another one with the same identity, whatever its text is.
    private struct Row: Equatable, Sendable {
        var id = 1
        var text: String

        static func == (left: Row, right: Row) -> Bool { left.id == right.id }
    }

    private struct Page: Sendable {
        var row = Row(text: "old")
    }

    @Test("An observer that comes later begins with the state, also if it equals what the others were told")
    func equalButDifferent() async throws {
        let store = Store(initialState: Page()) { (page: inout Page, text: String) in page.row.text = text }
        let first = Collector<String>()
        let observation = store.observe(\.row) { first.append($0.text) }
        try await store.dispatch("new")
        #expect(first.elements == ["old"])

        let later = Collector<String>()
        let second = store.observe(\.row) { later.append($0.text) }
        var values = store.values(of: \.row).makeAsyncIterator()
        #expect(later.elements == ["new"])
        #expect(await values.next()?.text == "new")
        try await store.condition(\.row) { $0.text == "new" }
        // And the others are told nothing by that.
        #expect(first.elements == ["old"])
        withExtendedLifetime((observation, second)) {}
    }

    /// A value that calls something when it is compared.
    private struct Hooked: Equatable, Sendable {
        static let hook = Mutex<(@Sendable () -> Void)?>(nil)
        var number: Int

        static func == (left: Hooked, right: Hooked) -> Bool {
            let hook = hook.withLock { stored in
                defer { stored = nil }
                return stored
            }
            hook?()
            return left.number == right.number
        }
    }

    private actor Screen {
        let numbers = Collector<Int>()

        func show(_ number: Int) { numbers.append(number) }

        /// Blocks the actor until it is let go.
        func hold(_ entered: Signal, until exit: DispatchSemaphore) {
            entered.fire()
            exit.wait()
        }

        func settle() {}
    }

    @Test("No call begins after an observation was cancelled by the comparison of the value")
    func cancelledByComparison() async {
        let store = Store(initialState: Hooked(number: 0)) { (state: inout Hooked, number: Int) in state.number = number
        }
        let screen = Screen()
        let observation = store.observe(\.self, isolatedTo: screen) { $0.show($1.number) }
        await wait { screen.numbers.elements == [0] }
        let (entered, exit) = (Signal(), DispatchSemaphore(value: 0))
        let holding = Task.detached { await screen.hold(entered, until: exit) }
        await entered.wait()
        // Two changes, so that the observer has to compare what it is offered with what it has had.
        store.send(1)
        store.send(2)
        Hooked.hook.withLock { $0 = { observation.cancel() } }
        exit.signal()
        await holding.value
        // Once the flush has compared.
        await wait { Hooked.hook.withLock { $0 == nil } }
        await screen.settle()
        #expect(screen.numbers.elements == [0])
    }

    @Test("Observers that are isolated to an actor are called on the executor of the store")
    func executorOfTheStore() {
        let executor = ManualExecutor()
        var configuration = StoreConfiguration()
        configuration.executor = executor
        let store = Store(initialState: 0, configuration: configuration) { (count: inout Int, step: Int) in
            count += step
        }
        let screen = Screen()
        let observation = store.observe(\.self, isolatedTo: screen) { $0.show($1) }
        executor.runUntilIdle()
        #expect(screen.numbers.elements == [0])
        store.send(2)
        executor.runUntilIdle()
        #expect(screen.numbers.elements == [0, 2])
        withExtendedLifetime(observation) {}
    }
}
