import ActorStore

extension Scenario {
    /// Releases at any moment.
    static let lifetimes = [
        Scenario("The payload of an action is released where its deinitialiser may read the snapshot") { stage in
            let store = Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, _: Payload?) in
                count += 1
            }
            stage.thread("sender") { store.send(nil) }
            stage.thread("second sender") {
                store.send(Payload { [weak store] in _ = store?.snapshot })
            }
            stage.thread("third sender") { store.send(nil) }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
        Scenario("Accepted actions are reduced although the last reference is released") { stage in
            let reduced = Shared(0)
            let store = Shared<Store<Int, Int>?>(
                Store(initialState: 0, configuration: stage.configuration) { (count: inout Int, step: Int) in
                    count += step
                    reduced.value += 1
                }
            )
            let accepted = Shared(0)
            for sender in 1...2 {
                stage.thread("sender \(sender)") {
                    guard let store = store.value else { return }
                    for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 }
                }
            }
            stage.thread("owner") { store.value = nil }
            stage.atEnd { stage.expect(reduced.value, is: accepted.value, "the reduced actions") }
        },
        Scenario("The sequences and effects of a store end with its last reference") { stage in
            let store = Shared<Store<EffectFeature.State, EffectFeature.Action>?>(stage.effectStore())
            guard let values = store.value?.values(of: \.ticks) else { return }
            stage.task("observer") {
                var last = -1
                for await value in values { last = value }
                stage.expect(last, is: 1, "the last value")
            }
            stage.thread("owner") {
                store.value?.send(.unending)
                store.value?.send(.tick)
                store.value = nil
            }
        },
        Scenario("Children released while their root is busy leave nothing behind") { stage in
            let root = stage.counter()
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            )
            stage.thread("sender") { for _ in 1...2 { root.send(1) } }
            stage.thread("child's sender") { child.value?.send(1) }
            stage.thread("owner") { child.value = nil }
            stage.atEnd { stage.expect(root.snapshot >= 2, "The state is \(root.snapshot)") }
        },
        Scenario("Code isolated to a store can hold its last reference") { stage in
            let store = Shared<Store<Int, Int>?>(stage.counter())
            for number in 1...2 {
                stage.task("isolated task \(number)") {
                    guard let visited = store.value else { return }
                    stage.expect(await count(of: visited) >= 0, "The state is less than it ever was")
                }
                stage.thread("sender \(number)") { store.value?.send(1) }
            }
            stage.thread("owner") { store.value = nil }
        },
    ]

    private static func count(of store: isolated Store<Int, Int>) -> Int { store.snapshot }
}

/// A user's value that acts at its release.
final class Payload: Sendable {
    private let onEnd: @Sendable () -> Void
    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
    deinit { onEnd() }
}
