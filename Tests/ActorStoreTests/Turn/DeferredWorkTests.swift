import ActorStore
import Foundation
import Testing

/// What does not decide about the state is done when the turn has been passed on.
@Suite("Deferred work", .timeLimit(.minutes(10)))
struct DeferredWorkTests {
    private final class Token: Sendable {
        private let onEnd: @Sendable () -> Void
        init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
    }

    private enum Action: Sendable { case hold(Hold), carry(Token) }

    @Test(
        "The deinitialiser of a payload can read the snapshot, whether the store is idle or busy",
        arguments: [false, true]
    )
    func payloads(isBusy: Bool) async throws {
        let store = Store(initialState: 0) { (count: inout Int, action: Action) in
            if case .hold(let hold) = action { hold.enter() }
            count += 1
        }
        let hold = Hold()
        if isBusy {
            onThread { store.send(.hold(hold)) }
            await hold.waitUntilEntered()
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        store.send(.carry(Token { [weak store] in continuation.yield(store?.snapshot) }))
        hold.release()
        for await snapshot in seen {
            #expect(snapshot == (isBusy ? 2 : 1))
            break
        }
    }

    @Test("The deinitialiser of a payload can send to its store, and is not in a turn")
    func sendingPayloads() async throws {
        let store = Store(initialState: 0) { (count: inout Int, action: Action) in
            if case .hold(let hold) = action { hold.enter() }
            count += 1
        }
        let hold = Hold()
        onThread { store.send(.hold(hold)) }
        await hold.waitUntilEntered()
        let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
        store.send(
            .carry(
                Token { [weak store] in
                    store?.send(.carry(Token {}))
                    continuation.yield()
                }
            )
        )
        hold.release()
        for await _ in seen { break }
        #expect(await store.state == 3)
    }

    @Test("The closure of an effect that never begins is released when the store can be read")
    func captures() async throws {
        struct Feature: Reducer {
            let token: @Sendable () -> Token
            func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
                state += 1
                guard action else { return .cancel(id: "work") }
                let token = token()
                return .concatenate(
                    .run(id: "work") { _ in try? await Task.sleep(for: .seconds(1_000)) },
                    .run(id: "work") { _ in withExtendedLifetime(token) {} }
                )
            }
        }
        let (seen, continuation) = AsyncStream.makeStream(of: Int?.self)
        let holder = WeakHolder<Store<Int, Bool>>()
        let store = Store(
            initialState: 0,
            reducer: Feature { Token { continuation.yield(holder.object?.snapshot) } }
        )
        holder.object = store
        try await store.dispatch(true)
        store.send(false)
        for await snapshot in seen {
            #expect(snapshot == 2)
            break
        }
    }
}

/// A weak reference that is set once, before it is used.
private final class WeakHolder<Object: AnyObject & Sendable>: @unchecked Sendable {
    // Sound: it is written before any other thread reads it.
    weak var object: Object?
}
