import ActorStore
import Testing

@testable import TestFixtures

@Suite("Effects from tasks and sequences", .timeLimit(.minutes(10)))
struct EffectTaskTests {
    typealias Action = Ledger.Action

    struct Broken: Error, Equatable { var reason = "no network" }

    @Test("A task ends with one action, or with the action made from its error")
    func task() async throws {
        let store = Ledger.store()
        let loaded = Effect<Action>.task { .write(await text()) }
        try await store.dispatch(.start(loaded)).finish()
        #expect(await store.state.note == "loaded")
        // A synchronous function works as well.
        let failed = Effect<Action>.task {
            throw Broken()
        } catch: { error in
            .write("failed: \((error as? Broken)?.reason ?? "?")")
        }
        try await store.dispatch(.start(failed)).finish()
        #expect(await store.state.note == "failed: no network")
        #expect(store.revision == 4)
    }

    @Test("A task can deliver its result, a value or an error")
    func results() async throws {
        let store = Ledger.store()
        try await store.dispatch(.start(.task(text) { result in .write("\(result)") })).finish()
        #expect(await store.state.note == "success(\"loaded\")")
        let failing = Effect<Action>.task {
            try fail()
            return 7
        } then: { result in
            if case .failure(let error) = result { .write("failed: \(error is Broken)") } else { nil }
        }
        try await store.dispatch(.start(failing)).finish()
        #expect(await store.state.note == "failed: true")
    }

    @Test("The result of a cancelled task is not delivered")
    func cancelledResults() async throws {
        let store = Ledger.store()
        let began = Signal()
        let results = Collector<String>()
        let effect = Effect<Action>.task(id: "load") {
            began.fire()
            await untilCancelled()
            try Task.checkCancellation()
        } then: { result in
            results.append("\(result)")
            return .add(1)
        }
        let task = try await store.dispatch(.start(effect))
        await began.wait()
        try await store.dispatch(.start(.cancel(id: "load")))
        try await task.finish()
        #expect(results.elements.isEmpty)
        #expect(store.snapshot.total == 0)
    }

    @Test("A sequence sends an action for each element, in order, and the effect ends with the sequence")
    func sequence() async throws {
        let store = Ledger.store()
        let numbers = AsyncStream<Int> { continuation in
            for number in 0..<10 { continuation.yield(number) }
            continuation.finish()
        }
        let effect = Effect<Action>.sequence(numbers) { number in number.isMultiple(of: 3) ? .enter(1, number) : nil }
        try await store.dispatch(.start(effect)).finish()
        #expect(await store.state.entries.map(\.number) == [0, 3, 6, 9])
    }

    @Test("A sequence of actions needs no transformation, and its error becomes an action or reaches the StoreTask")
    func sequencesThatFail() async throws {
        let store = Ledger.store()
        func actions() -> AsyncThrowingStream<Action, any Error> {
            AsyncThrowingStream { continuation in
                continuation.yield(.add(1))
                continuation.yield(.add(2))
                continuation.finish(throwing: Broken())
            }
        }
        try await store.dispatch(.start(.sequence(actions(), { $0 }, catch: { _ in .write("failed") }))).finish()
        #expect(await store.state == Ledger.State(total: 3, note: "failed"))
        let task = try await store.dispatch(.start(.sequence(actions()) { $0 }))
        await #expect(throws: Broken()) { try await task.finish() }
        #expect(try await store.errors.first(1).first?.error is Broken)
        #expect(await store.state.total == 6)
    }

    @Test("A cancelled sequence ends at once, and takes no further element if its source continues")
    func cancelledSequences() async throws {
        let store = Ledger.store()
        let silent = AsyncStream<Int> { _ in }
        let waiting = try await store.dispatch(.start(.sequence(id: 1, silent) { .add($0) }))
        try await store.dispatch(.start(.cancel(id: 1)))
        try await waiting.finish()

        let seen = Collector<Int>()
        let stubborn = try await store.dispatch(
            .start(
                .sequence(id: 2, Endless()) { number in
                    seen.append(number)
                    return .add(1)
                }
            )
        )
        await until { !seen.elements.isEmpty }
        try await store.dispatch(.start(.cancel(id: 2)))
        try await stubborn.finish()
    }

    @Test("A sequence cancelled by an element's action leaves the next element to other consumers")
    func leavesElements() async throws {
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 1...3 { continuation.yield(number) }
        let store = Store(
            initialState: [Int](),
            reducer: Reduce<[Int], Int> { seen, number in
                if number == 0 { return .sequence(id: "numbers", numbers) { $0 } }
                seen.append(number)
                return number == 2 ? .cancel(id: "numbers") : .none
            }
        )
        try await store.dispatch(0).finish()
        #expect(store.snapshot == [1, 2])
        var others = numbers.makeAsyncIterator()
        #expect(await others.next() == 3)
    }

    @Test("A fire-and-forget effect sends nothing, is not awaited, and does not block the store")
    func fireAndForget() async throws {
        let store = Ledger.store()
        let began = Signal()
        let goOn = Signal()
        let done = Collector<Void>()
        store.send(
            .start(
                .fireAndForget {
                    began.fire()
                    await goOn.wait()
                    done.append(())
                }
            )
        )
        await began.wait()
        try await store.dispatch(.add(1))
        #expect(store.snapshot.total == 1)
        #expect(done.elements.isEmpty)
        goOn.fire()
        // Forgotten by the dispatcher, not by the store.
        await store.shutdown(drain: .finishEffects)
        #expect(done.elements.count == 1)
        #expect(store.revision == 2)
    }

    @Test("Effects run concurrently off the store, whether they are awaited or not")
    func parallel() async throws {
        let store = Ledger.store()
        let signals = (0..<3).map { _ in Signal() }
        // Each waits for the one after it, so they could not end one by one in order.
        for number in 0..<3 {
            store.send(
                .start(
                    .task {
                        if number < 2 { await signals[number + 1].wait() }
                        signals[number].fire()
                        return .enter(0, number)
                    }
                )
            )
        }
        await signals[0].wait()
        await until { store.snapshot.entries.count >= 3 }
        #expect(Set(store.snapshot.entries.map(\.number)) == [0, 1, 2])
    }

    @Test("The priority of an effect applies to operations without a priority of their own")
    func priority() async throws {
        let store = Ledger.store()
        let seen = Collector<TaskPriority?>()
        let effect = Effect<Action>.concatenate(
            .run { _ in seen.append(Task.basePriority) },
            .run(priority: .high) { _ in seen.append(Task.basePriority) },
            Effect.fireAndForget { seen.append(Task.basePriority) }.priority(.background)
        )
        try await store.dispatch(.start(effect.priority(.utility))).finish()
        #expect(seen.elements == [.utility, .high, .background])
    }

    @Test("All steps have the dispatcher's own priority, also if a caller of higher priority awaits the dispatcher")
    func escalated() async throws {
        let seen = Collector<TaskPriority?>()
        let step = Effect<Action>.run { _ in seen.append(Task.basePriority) }
        let store = Ledger.store()
        let dispatcher = Task.detached(priority: .low) {
            await until { Task.currentPriority != .low }
            try await store.dispatch(.start(.concatenate(step, step, step))).finish()
        }
        try await Task.detached(priority: .high) { try await dispatcher.value }.value
        #expect(seen.elements == [.low, .low, .low])
    }

    @Test("A later step has the priority of the dispatcher or the configuration, not of the step before")
    func prioritiesOfSteps() async throws {
        let seen = Collector<TaskPriority?>()
        let step = Effect<Action>.run { _ in seen.append(Task.basePriority) }
        let first = Effect<Action>.run(priority: .background) { _ in seen.append(Task.basePriority) }
        let grouped = Effect.concatenate(first, step).cancellable(id: "group", policy: .serial)
        let effect = Effect.concatenate(first, step, .send(.add(1)), .merge(first, .none), step, grouped, step)
        let last = Effect<Action>.send(.write("over"))
        for configured in [TaskPriority.high, nil] {
            let store = Ledger.store(configuration: StoreConfiguration(priority: configured))
            // Not awaited directly, which would raise it.
            let dispatched = Collector<StoreTask>()
            Task(priority: .low) { dispatched.append(try await store.dispatch(.start(effect))) }
            await until { dispatched.elements.first?.isFinished == true }
            store.send(.start(.concatenate(effect, last)))
            await until { store.snapshot.note == "over" }
            let expected = [TaskPriority.low, configured ?? .medium].flatMap { own in
                [.background, own, .background, own, .background, own, own]
            }
            #expect(seen.elements.dropFirst(configured == nil ? expected.count : 0).elementsEqual(expected))
        }
    }

    private func fail() throws { throw Broken() }
}

private func text() async -> String { "loaded" }

/// A sequence that ignores its task's cancellation.
private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var number = 0
    func makeAsyncIterator() -> Endless { self }
    mutating func next() async -> Int? {
        number += 1
        await Task.yield()
        return number
    }
}
