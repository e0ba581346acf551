import ActorStore

extension Scenario {
    /// Code isolated to a store.
    static let isolation: [Scenario] = [
        Scenario("Code isolated to a store sees no action between two reads") { stage in
            let store = stage.counter()
            let accepted = Shared(0)
            for number in 1...2 {
                stage.task("isolated task \(number)") { if await look(at: store, on: stage) { accepted.value += 1 } }
                stage.thread("sender \(number)") {
                    for _ in 1...2 where store.send(1).isAccepted { accepted.value += 1 }
                }
            }
            stage.task("owner") { await store.shutdown(drain: .finishEffects) }
            stage.atEnd { stage.expect(store.snapshot, is: accepted.value, "the state") }
        },
        Scenario("Code isolated to a store continues after a suspension, whatever happened to the store") { stage in
            let store = Shared<Store<Int, Int>?>(stage.counter())
            let visits = Shared(0)
            for number in 1...2 {
                stage.task("isolated task \(number)") {
                    guard let visited = store.value else { return visits.value += 1 }
                    await visit(visited, on: stage)
                    visits.value += 1
                }
            }
            stage.thread("sender") { for _ in 1...2 { store.value?.send(1) } }
            stage.thread("owner") {
                store.value?.beginShutdown(drain: .cancelEffects)
                store.value = nil
            }
            stage.atEnd { stage.expect(visits.value, is: 2, "the visits that have ended") }
        },
        Scenario("Code isolated to a child runs in the turn of its tree, also after the child's end") { stage in
            let root = stage.counter()
            let child = Shared<Store<ParentAndChild<Int, Int>, Int>?>(
                root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
            )
            for number in 1...2 {
                stage.task("isolated task \(number)") {
                    guard let visited = child.value else { return }
                    await look(at: visited, on: stage)
                }
            }
            stage.thread("sender") { for _ in 1...2 { child.value?.send(1) } }
            stage.thread("root's sender") { root.send(1) }
            stage.thread("owner") { child.value = nil }
        },
        Scenario("Code isolated to a suspended store runs after the observer has ended") { stage in
            let store = stage.counter()
            let values = Shared<StoreSequence<Int>?>(
                store.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
            )
            stage.thread("sender") { for _ in 1...2 { store.send(1) } }
            stage.task("isolated task") { await look(at: store, on: stage) }
            stage.thread("observer") { values.value = nil }
            stage.atEnd { stage.expect(store.snapshot, is: 3, "the state") }
        },
    ]

    /// - Returns: Whether the store has accepted the actions sent in between.
    @discardableResult
    private static func look(at store: isolated Store<Int, Int>, on stage: Stage) -> Bool {
        let before = store.snapshot
        stage.reach()
        let outcome = store.send(1)
        stage.reach()
        stage.expect(store.snapshot, is: before, "what isolated code sees after it has sent")
        return outcome.isAccepted
    }

    private static func look(at store: isolated Store<ParentAndChild<Int, Int>, Int>, on stage: Stage) {
        let before = store.snapshot
        stage.reach()
        store.send(1)
        stage.reach()
        stage.expect(store.snapshot.parent, is: before.parent, "what isolated code sees of the parent")
        stage.expect(store.snapshot.local, is: before.local, "what isolated code sees after it has sent")
    }

    private static func visit(_ store: isolated Store<Int, Int>, on stage: Stage) async {
        let before = store.snapshot
        await stage.yield()
        stage.expect(store.snapshot >= before, "The state is less than it was")
        stage.reach()
    }
}
