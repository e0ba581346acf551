import ActorStore
import Testing

@Suite("Batches of children", .timeLimit(.minutes(10)))
struct ChildBatchTests {
    @Test(
        "A batch to the child of an idle tree is reduced at once, whatever the capacity of the mailbox",
        arguments: [MailboxCapacity.OverflowPolicy.reject, .dropNewest, .dropOldest, .suspend]
    )
    func idle(policy: MailboxCapacity.OverflowPolicy) {
        let root = Store(
            initialState: 0,
            configuration: StoreConfiguration(mailbox: .bounded(2, whenFull: policy))
        ) { (count: inout Int, step: Int) in count += step }
        let child = root.child(initialState: 0) { (count: inout Int, step: Int) in count += step }
        #expect(child.send(contentsOf: [1, 1, 1]) == .accepted)
        #expect(child.snapshot.local == 3 && root.snapshot == 3)
        child.beginShutdown(drain: .cancelEffects)
        #expect(child.send(contentsOf: [1]) == .refused(.shutDown))
    }

    @Test("A step that cancels an identity reaches the effects of later actions of its batch, in a child as in a root")
    func cancelledLater() async {
        let ended = Collector<Bool>()
        func reducer() -> Reduce<Int, Int> {
            let mayGoOn = Latch()
            return Reduce { _, action in
                guard action == 1 else {
                    return .run(id: "work") { _ in
                        mayGoOn.open()
                        try? await Task.sleep(for: .seconds(3_600))
                        ended.append(Task.isCancelled)
                    }
                }
                return .concatenate(.fireAndForget { await mayGoOn.wait() }, .cancel(id: "work"))
            }
        }
        let root = Store(initialState: 0, reducer: reducer())
        root.send(contentsOf: [1, 2])
        await root.shutdown(drain: .finishEffects)
        let parent = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = parent.child(initialState: 0, reducer: reducer())
        child.send(contentsOf: [1, 2])
        await child.shutdown(drain: .finishEffects)
        #expect(ended.elements == [true, true])
    }

    @Test("The effects of a batch of 20,000 actions do not overflow the stack")
    func manyEffects() async throws {
        let root = Store(initialState: 0) { (count: inout Int, step: Int) in count += step }
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, action in action == 0 ? .send(1) : .none }
        )
        child.send(contentsOf: Array(repeating: 0, count: 20_000))
        await wait { root.snapshot == 20_000 }
    }
}
