import ActorStore
import ActorStoreViews
import Testing

@testable import TestFixtures

@Suite("Observers that suspend the store", .timeLimit(.minutes(10)))
struct SuspendingObserverTests {
    private let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }
    private let policy = BufferingPolicy.bounded(2, onOverflow: .suspendStore)

    @Test(
        "A store reduces nothing while a suspending buffer is full, and then its pending actions in order"
    )
    func suspendsAndGoesOn() async throws {
        let values = store.values(of: \.self, buffering: policy)
        // The initial value is the first in the buffer.
        for number in 1...5 { #expect(store.send(number) == .accepted) }
        #expect(store.snapshot == 1)
        #expect(store.statistics.waitingActions == 4)
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        await until { store.snapshot >= 2 }
        #expect(store.snapshot == 2)
        for expected in 1...5 { #expect(await iterator.next() == expected) }
        await until { store.snapshot >= 5 }
        #expect(values.droppedCount == 0)
    }

    @Test("A suspending observer misses nothing, and no caller waits forever, with many senders and dispatchers")
    func underLoad() async throws {
        let store = Store(initialState: 0) { (sum: inout Int, step: Int) in sum += step }
        let values = store.values(of: \.self, buffering: .bounded(3, onOverflow: .suspendStore))
        let got = Task {
            var got: [Int] = []
            for await value in values {
                got.append(value)
                if value == 4_000 { break }
            }
            return got
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask {
                    for _ in 0..<1_000 {
                        if sender.isMultiple(of: 2) { store.send(1) } else { try await store.dispatch(1) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await got.value == Array(0...4_000))
    }

    @Test("A dispatch to a suspended store waits until there is room")
    func dispatchWaits() async throws {
        let values = store.values(of: \.self, buffering: policy)
        store.send(1)
        let dispatch = Task {
            try await store.dispatch(2)
            return store.snapshot
        }
        await until { store.statistics.waitingActions > 0 }
        #expect(store.snapshot == 1)
        var iterator = values.makeAsyncIterator()
        _ = await iterator.next()
        #expect(try await dispatch.value >= 2)
    }

    @Test("A cancelled suspending observer resumes the store")
    func leaving() async throws {
        var values: StoreSequence<Int>? = store.values(of: \.self, buffering: policy)
        for number in 1...5 { store.send(number) }
        #expect(store.snapshot == 1)
        values = nil
        _ = values
        #expect(await store.state == 5)
        store.send(6)
        #expect(store.snapshot == 6)
    }

    @Test("The slowest of several suspending observers decides")
    func several() async throws {
        let slow = store.values(of: \.self, buffering: policy)
        let fast = store.values(of: \.self, buffering: policy)
        for number in 1...3 { store.send(number) }
        var fastIterator = fast.makeAsyncIterator()
        #expect(await fastIterator.next() == 0)
        #expect(await fastIterator.next() == 1)
        #expect(store.snapshot == 1)
        var slowIterator = slow.makeAsyncIterator()
        #expect(await slowIterator.next() == 0)
        #expect(await fastIterator.next() == 2)
    }

    @Test("A shutdown does not wait for suspending observers, and loses nothing")
    func shutdown() async throws {
        let values = store.values(of: \.self, buffering: policy)
        for number in 1...5 { store.send(number) }
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot == 5)
        #expect(try await values.all() == [0, 1, 2, 3, 4, 5])
    }

    @Test("A released store reduces its accepted actions, and then ends the suspending observation")
    func release() async throws {
        var store: Store<Int, Int>? = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }
        let values = try #require(store).values(of: \.self, buffering: policy)
        for number in 1...5 { store?.send(number) }
        store = nil
        #expect(try await values.all() == [0, 1, 2, 3, 4, 5])
    }

    @Test("A full mailbox refuses new actions while the store is suspended")
    func boundedMailbox() async throws {
        let store = Store(
            initialState: 0,
            configuration: StoreConfiguration(mailbox: .bounded(2, whenFull: .reject))
        ) { (number: inout Int, new: Int) in number = new }
        let values = store.values(of: \.self, buffering: policy)
        #expect(
            (1...5).map { store.send($0) } == [
                .accepted, .accepted, .accepted, .refused(.overloaded), .refused(.overloaded),
            ]
        )
        await #expect(throws: StoreError.overloaded) { try await store.dispatch(6) }
        withExtendedLifetime(values) {}
    }

    @Test("Every action reaches an observer of actions that suspends the store")
    func actions() async throws {
        let actions = store.actions(.bounded(1, onOverflow: .suspendStore), at: nil)
        for number in 1...4 { store.send(number) }
        #expect(store.snapshot == 1)
        var iterator = actions.makeAsyncIterator()
        for expected in 1...4 { #expect(await iterator.next()?.action == expected) }
    }

    /// The kinds of observers that are busy with one value while others wait.
    enum BusyObserver: CaseIterable {
        case closure, consumerOfActions, consumerOfASequence
    }

    private actor BusyConsumer: ActionConsumer, StateConsumer {
        let work: @Sendable () async -> Void

        init(work: @escaping @Sendable () async -> Void) { self.work = work }

        func receive(_ action: Int, state: Int) async { await work() }
        nonisolated func props(from state: Int, send: Send<Int>) -> Int { state }
        func update(_ number: Int) async { await work() }
    }

    @Test(
        "An asynchronous observer cancelled during its work no longer suspends the store, and is not counted",
        arguments: BusyObserver.allCases
    )
    func cancelledAtWork(_ kind: BusyObserver) async throws {
        let (entered, mayEnd) = (Signal(), Latch())
        let work: @Sendable () async -> Void = {
            entered.fire()
            await mayEnd.wait()
        }
        let consumer = BusyConsumer(work: work)
        let cancel: () -> Void
        switch kind {
        case .closure:
            let token = store.values(of: \.self, buffering: policy).observe(on: RecordingExecutor()) { _ in await work()
            }
            cancel = token.cancel
        case .consumerOfActions:
            cancel = store.connect(actionsTo: consumer, buffering: policy).cancel
        case .consumerOfASequence:
            cancel = store.connect(consumer, to: store.values(of: \.self, buffering: policy)).cancel
        }
        store.send(1)
        await entered.wait()
        for number in 2...9 { store.send(number) }
        #expect(store.statistics.waitingActions > 0)
        cancel()
        try #require(store.statistics.observers == 0)
        #expect(await store.state == 9)
        mayEnd.open()
    }

    @Test("An asynchronous observer cancelled before its executor starts it no longer suspends the store")
    func cancelledBeforeItBegins() async throws {
        let executor = PatientExecutor()
        let told = Collector<Int>()
        var token: StoreObservation? = store.values(of: \.self, buffering: policy).observe(on: executor) { value in
            await Task.yield()
            told.append(value)
        }
        for number in 1...9 { store.send(number) }
        #expect(store.statistics.waitingActions > 0 && token != nil)
        token = nil
        try #require(store.statistics.observers == 0)
        #expect(await store.state == 9)
        executor.runAll()
        #expect(told.elements.isEmpty)
    }

    @Test("The elements of one batch can exceed a suspending buffer, and all of them are delivered")
    func batch() async throws {
        let actions = store.actions(policy, at: nil)
        #expect(store.send(contentsOf: 1...5) == .accepted)
        #expect(store.send(6) == .accepted)
        #expect(store.snapshot == 5 && store.statistics.waitingActions == 1)
        #expect(try await actions.first(6).map(\.action) == [1, 2, 3, 4, 5, 6])
        try await store.dispatch(7)
        #expect(store.snapshot == 7 && actions.droppedCount == 0)
    }
}
