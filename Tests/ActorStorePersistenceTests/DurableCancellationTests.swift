import ActionLogConformance
import ActorStore
import Dispatch
import Foundation
import TestFixtures
import Testing

@testable import ActorStorePersistence

/// A poll that can be stopped, and a search of which the last one counts.
private struct Desk: Reducer {
    struct State: Codable, Sendable, Equatable {
        var isPolling = false
        var results: [String] = []
        var notes = 0
    }

    enum Action: Codable, Sendable, Equatable {
        case start, restart, stop, search(String), found(String), remind, remindAndStart, note
    }

    /// Called when the poll starts, with 1, and when it ends, with -1.
    let count: @Sendable (Int) -> Void

    private func poll() -> Effect<Action> {
        .run(id: "poll") { [count] _ in
            count(1)
            try? await Task.sleep(for: .seconds(1_000))
            count(-1)
        }
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .start:
            state.isPolling = true
            return poll()
        case .restart: return .send(.start)
        case .stop:
            state.isPolling = false
            return .cancel(id: "poll")
        case .search(let text):
            return .run(id: "search", policy: .cancelInFlight) { send in send(.found(text)) }
        case .found(let text):
            state.results.append(text)
            return .none
        case .remind: return .send(.note)
        case .remindAndStart: return .merge(.send(.note), .concatenate(.send(.note), poll()))
        case .note:
            state.notes += 1
            return .none
        }
    }
}

/// Effects start behind the log as a whole, also those that are cancelled before.
@Suite("Cancellations in durable stores", .timeLimit(.minutes(10)))
struct DurableCancellationTests {
    let log = FaultyLog(MemoryLog())
    private let polls = Events<Int>()
    private let goOn = DispatchSemaphore(value: 0)

    private func open() async throws -> DurableStore<Desk.State, Desk.Action> {
        try await Store.durable(
            in: log,
            initialState: Desk.State(),
            reducer: Desk(count: { [polls] in polls.add($0) })
        )
    }

    /// Holds the next append until `goOn` is signalled.
    private func holdLog() { log.fail(.append, with: .wait(goOn)) }

    /// The ways to cancel the task of an action.
    enum Way: CaseIterable { case performance, task }

    @Test("A cancelled dispatch of a cancellation cancels the work nevertheless", arguments: Way.allCases)
    func cancelledDispatch(way: Way) async throws {
        let store = try await open()
        holdLog()
        // Both wait for the log.
        #expect(store.send(.start).isAccepted)
        switch way {
        case .performance:
            let performance = Task { try await store.perform(.stop) }
            try await until { store.revision == 2 }
            performance.cancel()
            _ = await performance.result
        case .task: try await store.store.dispatch(.stop).cancel()
        }
        #expect(store.snapshot.isPolling == false)
        goOn.signal()
        try await store.commit()
        // Waits for running work.
        await store.shutdown(drain: .finishEffects, within: .seconds(600))
        #expect(polls.all == [] || polls.all == [1, -1])
    }

    @Test("Work that waits for the log starts in its place between two cancellations of it")
    func order() async throws {
        let store = try await open()
        holdLog()
        for action in [Desk.Action.start, .stop, .start, .stop, .start] { #expect(store.send(action).isAccepted) }
        try await until { store.revision == 5 }
        goOn.signal()
        try await store.commit()
        try await until { polls.all.reduce(0, +) == 1 }
        await letOtherTasksRun(yields: 1_000)
        #expect(polls.all.reduce(0, +) == 1)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test(
        "Actions that a reducer asks to send are sent although the effects are cancelled before their start",
        arguments: [true, false],
        [Desk.Action.remind, .remindAndStart]
    )
    private func sent(ofAll: Bool, action: Desk.Action) async throws {
        let store = try await open()
        holdLog()
        let task = try await store.store.dispatch(action)
        if ofAll {
            await store.store.cancelAllEffects()
        } else {
            task.cancel()
            // It is cancelled in the background.
            try? await task.finish()
        }
        goOn.signal()
        let notes = action == .remind ? 1 : 2
        try await until { store.snapshot.notes == notes }
        await store.shutdown(drain: .finishEffects, within: .seconds(600))
        #expect(store.snapshot.notes == notes)
        #expect(polls.all == [] || polls.all == [1, -1])
    }

    @Test("A performance whose effects are cancelled with all others also sends what its reducer asks to send")
    func performanceOfASend() async throws {
        let store = try await open()
        holdLog()
        let performance = Task { try await store.perform(.remind) }
        try await until { store.revision == 1 }
        await store.store.cancelAllEffects()
        goOn.signal()
        _ = await performance.result
        try await until { store.snapshot.notes == 1 }
        await store.shutdown(drain: .finishEffects)
    }

    @Test("Work behind a sent action is dropped with a cancelled performance")
    func cancelledChain() async throws {
        let store = try await open()
        holdLog()
        let performance = Task { try await store.perform(.restart) }
        try await until { store.revision == 1 }
        performance.cancel()
        await #expect(throws: CancellationError.self) { try await performance.value }
        goOn.signal()
        try await store.commit()
        await store.shutdown(drain: .finishEffects, within: .seconds(600))
        #expect(store.revision == 1 && polls.all == [])
    }
}
