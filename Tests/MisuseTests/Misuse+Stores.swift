import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreGroups
import ActorStoreInstruments
import ActorStoreViews

private func makeStore() -> Store<Int, Int> {
    Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
}

extension Misuse {
    static let ofStores: [Misuse] = [
        Misuse("A root is made to retain another store", "keeping(_:) was called on \"store\", the root of its tree") {
            _ = makeStore().keeping(makeStore())
        },
        Misuse("A reducer reads its own store's snapshot", "A reducer read the snapshot of its own store") {
            let own = Own()
            own.store = Store(initialState: 0) { (count: inout Int, step: Int) in
                count += step + (own.store?.snapshot ?? 0)
            }
            own.store?.send(1)
        },
        Misuse(
            "What a reducer replaces reads the snapshot when it is released",
            "A reducer read the snapshot of its own store"
        ) {
            let own = OwnLast()
            let state = { [LastWords { _ = own.store?.snapshot }] }
            own.store = Store(initialState: state()) { (words: inout [LastWords], _: Int) in words = [] }
            own.store?.send(1)
        },
        Misuse("A reducer reads a view of its own store", "A reducer read the snapshot of its own store") {
            let own = Own()
            own.store = Store(initialState: 0) { (count: inout Int, step: Int) in
                count += step + (own.store?.view[\.self] ?? 0)
            }
            own.store?.send(1)
        },
        Misuse("A reducer reads its tree behind an interceptor", "A reducer read the snapshot of its own store") {
            let parent = makeStore()
            let child = parent.child(initialState: 0, reducer: Reduce<Int, Int> { (_: inout Int, _: Int) in }) { $0 }
            child.use(Interceptor("passing") { step, _, next in try next(step) })
            parent.attach(reducer: Reduce<Int, Int> { (_: inout Int, _: Int) in _ = parent.snapshot }, forKey: 1)
            child.send(1)
        },
        Misuse(
            "A reducer reads its own store's snapshot when its last interceptor has been removed",
            "A reducer read the snapshot of its own store"
        ) {
            let store = makeStore()
            let interception = store.use(Interceptor("passing") { step, _, next in try next(step) })
            store.send(1)
            interception.remove()
            store.attach(reducer: Reduce<Int, Int> { (_: inout Int, _: Int) in _ = store.snapshot }, forKey: 1)
            store.send(1)
        },
        Misuse(
            "The dependencies of a store that a reducer makes read the store of the reducer",
            "A reducer read the snapshot of its own store"
        ) {
            let own = Own()
            own.store = Store(initialState: 0) { (_: inout Int, _: Int) in
                let reducer = Reduce<Int, Int> { (_: inout Int, _: Int) in }
                _ = Store(initialState: 0, reducer: reducer) { _, made in
                    _ = made.snapshot
                    _ = own.store?.snapshot
                }
            }
            own.store?.send(1)
        },
        Misuse("A reducer reads an idle store's snapshot", "read the snapshot of another store") {
            let other = makeStore()
            let store = Store(initialState: 0) { (count: inout Int, _: Int) in count += other.snapshot }
            store.send(1)
        },
        Misuse("An interceptor reads an idle store's snapshot in a batch", "read the snapshot of another store") {
            let other = makeStore()
            let look = Interceptor<Int, Int>("look") { step, _, next in
                _ = other.snapshot
                try next(step)
            }
            let store = Store(initialState: 0, interceptors: [look]) { (count: inout Int, step: Int) in count += step }
            store.send(contentsOf: [1, 2])
        },
        Misuse("Code outside a store assumes its isolation", "assumes isolation to the store \"orders\"") {
            let configuration = StoreConfiguration(name: "orders")
            let store = Store(initialState: 0, configuration: configuration) { (_: inout Int, _: Int) in }
            func assume() { store.assumeIsolated { _ in } }
            assume()
        },
        Misuse("Two tasks wait on one iterator", "Two tasks wait for the next element of one iterator") {
            let store = makeStore()
            var iterator = store.values(of: \.self).makeAsyncIterator()
            _ = await iterator.next()
            nonisolated(unsafe) let shared = iterator  // The misuse.
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var copy = shared
                        _ = await copy.next()
                    }
                }
            }
        },
        Misuse("Two tasks iterate one stream", "Two tasks wait for the next element of one stream") {
            let store = makeStore()
            let stream = store.stream(of: \.self)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { for await _ in stream {} } }
            }
            withExtendedLifetime(store) {}
        },
        Misuse("Two tasks wait on one iterator of a group", "Two tasks wait for the next version of one iterator") {
            let group = StoreGroup(initialState: { (_: Int) in 0 }) { (count: inout Int, step: Int) in count += step }
            var iterator = group.values(of: \.self).makeAsyncIterator()
            _ = await iterator.next()
            nonisolated(unsafe) let shared = iterator  // The misuse.
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<2 {
                    tasks.addTask {
                        var copy = shared
                        _ = await copy.next()
                    }
                }
            }
        },
        Misuse("A mailbox has no room", "MailboxCapacity.bounded(0, …) has no room for an action") {
            _ = MailboxCapacity.bounded(0, whenFull: .reject)
        },
        Misuse("A buffer has no room", "BufferingPolicy.bounded(0) has no room for an element") {
            _ = BufferingPolicy.bounded(0)
        },
        Misuse("A recording has no room", "RecordingInstrument(capacity: 0) has no room for an event") {
            _ = RecordingInstrument(capacity: 0)
        },
        Misuse("A quantile is out of range", "Durations.quantile(99.0) is out of range") {
            _ = CountingInstrument().counts.actions.quantile(99)
        },
        Misuse("An observer on a store suspends its tree", "an observer that is isolated to a store of the tree") {
            let store = makeStore()
            let child = store.child(initialState: 0, reducer: EmptyReducer())
            let buffering = BufferingPolicy.bounded(1, onOverflow: .suspendStore)
            _ = store.observe(\.self, isolatedTo: child, buffering: buffering) { _, _ in }
        },
        Misuse("A scope gets an interceptor", "The interceptor \"check\" was added to") {
            let store = makeStore()
            store.scope(\.self).use(Interceptor("check") { action, _, next in try next(action) })
        },
        Misuse("A scope gets an asynchronous interceptor", "The asynchronous interceptor \"check\" was added to") {
            let store = makeStore()
            store.scope(\.self).use(AsyncInterceptor("check") { action, _ in action })
        },
        Misuse("A scope gets an interceptor of side effects", "The side effect interceptor \"check\" was added to") {
            let store = makeStore()
            store.scope(\.self).use(SideEffectInterceptor("check") { _, _, next in try await next() })
        },
        Misuse("Code is run isolated to a scope", "\"correct\" is to run isolated to") {
            let store = makeStore()
            try? await store.scope(\.self).withIsolation("correct") { _ in }
        },
        Misuse("A group gets a scope", "A StoreGroup got a child or a scope for the key 7") {
            let store = makeStore()
            let group = StoreGroup<Int, Int, Int> { _ in store.scope(\.self) }
            _ = group[7]
        },
        Misuse("An eviction has no idle time", "StoreGroupEviction.afterIdle(0.0 seconds) has no idle time") {
            _ = StoreGroupEviction<Int, Int>.afterIdle(.zero)
        },
        Misuse("An eviction hands no state over at a time", "has a limit of 0 concurrent hand-overs") {
            _ = StoreGroupEviction<Int, Int>.afterIdle(.seconds(1), maxConcurrentHandOvers: 0)
        },
    ]
}

/// The store of a misusing reducer.
private final class Own: Sendable {
    nonisolated(unsafe) var store: Store<Int, Int>?  // Written once, before the first action.
}

/// The store of a misusing value.
private final class OwnLast: Sendable {
    nonisolated(unsafe) var store: Store<[LastWords], Int>?  // Written once, before the first action.
}

/// Calls a closure when it is released.
private final class LastWords: Sendable {
    private let say: @Sendable () -> Void
    init(_ say: @escaping @Sendable () -> Void) { self.say = say }
    deinit { say() }
}
