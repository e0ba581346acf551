import ActorStore
import Foundation
import Synchronization
import Testing

@testable import TestFixtures

/// The reducing thread is random. Its other work must not matter.
@Suite("Tasks started by observers", .timeLimit(.minutes(10)))
struct ShutdownContextTests {
    private struct Feature: Reducer {
        struct State: Equatable, Sendable { var ticks = 0, done = 0 }
        enum Action: Sendable { case start, tick, done }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .start:
                return .run { send in
                    send(.tick)
                    try? await Task.sleep(for: .milliseconds(20))
                    send(.done)
                }
            case .tick: state.ticks += 1
            case .done: state.done += 1
            }
            return .none
        }
    }

    @Test("A shutdown requested by an observer waits for the effect whose action the observer received")
    func shutdown() async {
        for _ in 0..<20 {
            let store = Store(initialState: Feature.State(), reducer: Feature())
            let (results, continuation) = AsyncStream.makeStream(of: Int.self)
            let token = store.observe(\.ticks) { ticks in
                guard ticks == 1 else { return }
                Task {
                    await store.shutdown(drain: .finishEffects)
                    continuation.yield(store.snapshot.done)
                }
            }
            store.send(.start)
            for await done in results {
                #expect(done == 1)
                break
            }
            #expect(store.statistics.lateActions == 0)
            token.cancel()
        }
    }

    @Test("A task started by an observer can wait for the effect whose action the observer received")
    func finish() async throws {
        for _ in 0..<20 {
            let store = Store(initialState: Feature.State(), reducer: Feature())
            let tasks = Collector<StoreTask>()
            let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
            let hasTask = Signal()
            let token = store.observe(\.ticks) { ticks in
                guard ticks == 1 else { return }
                Task {
                    await hasTask.wait()
                    do {
                        for task in tasks.elements { try await task.finish() }
                        continuation.yield(true)
                    } catch {
                        continuation.yield(false)
                    }
                }
            }
            tasks.append(try await store.dispatch(.start))
            hasTask.fire()
            for await isFinished in results {
                #expect(isFinished)
                break
            }
            token.cancel()
        }
    }

    @Test("Observers of a batch sent by an effect run outside that effect")
    func batches() async throws {
        let store = Store(initialState: Feature.State(), reducer: Feature())
        let other = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let (results, continuation) = AsyncStream.makeStream(of: Int.self)
        let token = other.observe(.part(\.self).replay(.none)) { _ in
            Task {
                await store.shutdown(drain: .finishEffects)
                continuation.yield(store.snapshot.done)
            }
        }
        let sending = store.observe(.part(\.ticks).replay(.none)) { _ in other.send(contentsOf: [1, 2]) }
        store.send(.start)
        for await done in results {
            #expect(done == 1)
            break
        }
        withExtendedLifetime((token, sending)) {}
    }

    @Test("A shutdown begun by a reducer cancels the effect that sent the action", arguments: [false, true])
    func reducers(isObserved: Bool) async {
        struct Session: Reducer {
            enum Action: Sendable { case start, leave }
            let leave: @Sendable () -> Void
            let read: @Sendable () async -> Void

            func reduce(into state: inout Int, action: Action) -> Effect<Action> {
                switch action {
                case .start: return .run { _ in await read() }
                case .leave: leave()
                }
                return .none
            }
        }
        let holder = Mutex<Store<Int, Session.Action>?>(nil)
        let store = Store(
            initialState: 0,
            reducer: Session {
                holder.withLock { $0 }?.beginShutdown(drain: .cancelEffects)
            } read: {
                holder.withLock { $0 }?.send(.leave)
                await untilCancelled()
            }
        )
        holder.withLock { $0 = store }
        let token = isObserved ? store.observe(\.self) { _ in } : nil
        let end = Task { try await store.run() }
        store.send(.start)
        try? await end.value
        #expect(store.statistics.runningEffects == 0)
        holder.withLock { $0 = nil }
        withExtendedLifetime(token) {}
    }
}
