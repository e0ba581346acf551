import ActorStore
import ActorStoreCommands
import ActorStoreComposition
import ActorStoreGroups
import ActorStoreViews
import Testing

/// A function of a store, called by an actor.
struct Call: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Calls it, and returns whether the caller is isolated then.
    let run: @Sendable (isolated Caller, CounterStore) async -> Bool

    init(_ description: String, _ run: @escaping @Sendable (isolated Caller, CounterStore) async -> Bool) {
        testDescription = description
        self.run = run
    }

    // The call is the first one of each closure, so that it depends on the hop at its beginning.
    static let all = [
        Call("dispatch") { caller, store in
            _ = try? await store.dispatch(.increase)
            return caller.isIsolated
        },
        Call("dispatch with feedback") { caller, store in
            _ = try? await store.dispatch(.doubled(2), tracksFeedback: true)
            return caller.isIsolated
        },
        Call("ask") { caller, store in
            _ = try? await store.ask(Take())
            return caller.isIsolated
        },
        Call("perform") { caller, store in
            _ = try? await store.perform(.doubled(2))
            return caller.isIsolated
        },
        Call("finish") { caller, store in
            _ = try? await store.dispatch(.doubled(2)).finish()
            return caller.isIsolated
        },
        Call("state") { caller, store in
            _ = await store.state
            return caller.isIsolated
        },
        Call("read") { caller, store in
            _ = await store.read(\.self)
            return caller.isIsolated
        },
        Call("condition") { caller, store in
            _ = try? await store.condition { $0 >= 0 }
            return caller.isIsolated
        },
        Call("condition of a part") { caller, store in
            _ = try? await store.condition(\.self) { $0 >= 0 }
            return caller.isIsolated
        },
        Call("take") { caller, store in
            _ = try? await store.take(.where { _ in true }) { try await store.dispatch(.increase) }
            return caller.isIsolated
        },
        Call("take that times out") { caller, store in
            _ = try? await store.take(.where { _ in true }, timeout: .milliseconds(1))
            return caller.isIsolated
        },
        Call("ready") { caller, store in
            _ = try? await store.ready()
            return caller.isIsolated
        },
        Call("cancelAllEffects") { caller, store in
            await store.cancelAllEffects()
            return caller.isIsolated
        },
        Call("shutdown") { caller, store in
            await store.shutdown(drain: .cancelEffects)
            return caller.isIsolated
        },
        Call("shutdown with a deadline") { caller, store in
            await store.shutdown(drain: .cancelEffects, within: .seconds(1))
            return caller.isIsolated
        },
        Call("dispatch of a view") { caller, store in
            _ = try? await store.view.dispatch(.increase)
            return caller.isIsolated
        },
        Call("dispatch of a scope") { caller, store in
            _ = try? await store.scope(\.self).dispatch(.increase)
            return caller.isIsolated
        },
        Call("dispatch of a binding") { caller, store in
            _ = try? await store.binding(\.self, send: { .doubled($0) }).dispatch(3)
            return caller.isIsolated
        },
        Call("dispatch of an erased store") { caller, store in
            _ = try? await AnyStore(store).dispatch(Counter.Action.increase)
            return caller.isIsolated
        },
        Call("next of a sequence of values") { caller, store in
            var values = store.values(of: \.self).makeAsyncIterator()
            _ = await values.next()
            return caller.isIsolated
        },
        Call("withStore") { caller, store in
            let isInside = await withStore(initialState: 0, reducer: Counter()) { _ in caller.isIsolated }
            return isInside && caller.isIsolated
        },
        Call("withTimeout") { caller, store in
            _ = try? await withTimeout(.seconds(1)) { try await store.dispatch(.increase) }
            return caller.isIsolated
        },
        Call("retry") { caller, store in
            let isInside = try? await retry(RetryPolicy(maxAttempts: 2)) { _ in caller.isIsolated }
            return isInside == true && caller.isIsolated
        },
        Call("withDependencies") { caller, store in
            let isInside = await withDependencies { _ in
            } operation: {
                await Task.yield()
                return caller.isIsolated
            }
            return isInside && caller.isIsolated
        },
        Call("dispatch to a group") { caller, store in
            let group = StoreGroup(reducer: Counter()) { (_: Int) in 0 }
            _ = try? await group.dispatch(.increase, to: 1)
            return caller.isIsolated
        },
    ]
}

// Optimisers move and drop changes of the executor, so `.ci/test-release` runs this in a release build.
@Suite("Caller isolation", .timeLimit(.minutes(10)))
struct CallerIsolationTests {
    @Test("An actor is isolated when its call of a store returns or throws", arguments: Call.all, Condition.allCases)
    func goesOnIsolated(_ call: Call, _ condition: Condition) async {
        let caller = Caller()
        // Tests run on another executor than the actor's.
        #expect(await call.run(caller, condition.makeStore()))
    }
}
