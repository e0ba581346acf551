import ActorStore
import Testing

@testable import TestFixtures

/// An action of a child can start effects in the child and in the stores above it, which its dispatcher awaits
/// together.
@Suite("Effects of several stores for one action", .timeLimit(.minutes(10)))
struct SharedActionTests {
    /// Starts one effect with each action, which waits for its release, and then sends its name.
    private struct Working: Reducer {
        let name: String
        let mayEnd: Latch
        var hasStarted = Collector<String>()

        func reduce(into names: inout [String], action: String) -> Effect<String> {
            guard action == "work" else {
                names.append(action)
                return .none
            }
            return .run { send in
                hasStarted.append(name)
                await mayEnd.wait()
                send(name)
            }
        }
    }

    private let root: Store<[String], String>
    private let child: Store<ParentAndChild<[String], [String]>, String>
    private let mayEnd = Latch()
    private let started = Collector<String>()

    init() {
        root = Store(initialState: [], reducer: Working(name: "root", mayEnd: mayEnd, hasStarted: started))
        child = root.child(initialState: [], reducer: Working(name: "child", mayEnd: mayEnd, hasStarted: started))
    }

    /// Lets both stores begin an effect, runs a closure, and lets the effects end.
    private func work(_ body: () async -> Void) async throws {
        let task = try await child.dispatch("work")
        await until { started.elements.count == 2 }
        await body()
        mayEnd.open()
        try await task.finish()
        await root.shutdown(drain: .finishEffects)
    }

    @Test("Cancelling the task of an action cancels its effects in all stores, whatever their number in each")
    func task() async throws {
        let ended = Collector<Bool>()
        let reducer = Reduce<Int, Int> { _, _ in
            let work = Effect<Int>.run { _ in
                try? await Task.sleep(for: .seconds(3_600))
                ended.append(Task.isCancelled)
            }
            return .merge(work, work)
        }
        let root = Store(initialState: 0, reducer: reducer)
        let child = root.child(initialState: 0, reducer: reducer)
        let grandchild = child.child(initialState: 0, reducer: reducer)
        let task = try await grandchild.dispatch(1)
        await until { root.statistics.runningEffects == 6 }
        task.cancel()
        try await task.finish()
        #expect(root.statistics.runningEffects == 0)
        #expect(ended.elements.allSatisfy { $0 })
    }

    @Test("Cancelling the effects of a child does not affect those of its parent")
    func child() async throws {
        try await work { await child.cancelAllEffects() }
        #expect(root.snapshot == ["root"])
    }

    @Test("Cancelling the effects of a parent does not affect those of its child")
    func parent() async throws {
        try await work { await root.cancelAllEffects() }
        // The child's action has gone up to its parent.
        #expect(child.snapshot.local == ["child"] && root.snapshot == ["child"])
    }

    @Test(
        "Ending a child does not affect the effects of its parent, whose action continues",
        arguments: [ShutdownDrain.finishEffects, .cancelEffects]
    )
    func endedChild(drain: ShutdownDrain) async throws {
        try await work { child.beginShutdown(drain: drain) }
        #expect(root.snapshot.contains("root"))
    }

    @Test("Effects that a child begins during its cancellation take no effects of its parent with them")
    func lateBeginning() async throws {
        let (goOn, isCancelled) = (Latch(), Signal())
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, String> { _, action in
                switch action {
                case "stay":
                    .run { _ in
                        await withTaskCancellationHandler {
                            await Task.detached { await goOn.wait() }.value
                        } onCancel: {
                            isCancelled.fire()
                        }
                    }
                case "work": .run { _ in }
                default: .none
                }
            }
        )
        try await child.dispatch("stay")
        // While an observer suspends the tree, the deadline cancels before the child's accepted actions are reduced.
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        child.send("work")
        async let report = child.shutdown(drain: .cancelEffects, within: .seconds(1_000))
        await isCancelled.wait()
        let reader = Task { for await _ in values {} }
        await until { started.elements == ["root"] }
        mayEnd.open()
        await until { root.snapshot.contains("root") }
        goOn.open()
        #expect(await report.isClean)
        reader.cancel()
    }

    @Test("The rest of a concatenation is skipped after the effects of its store were cancelled")
    func rest() async throws {
        let started = Signal()
        let store = Store(
            initialState: [String](),
            reducer: Reduce<[String], String> { names, action in
                names.append(action)
                guard action == "work" else { return .none }
                return .concatenate(
                    .run { _ in
                        started.fire()
                        try? await Task.sleep(for: .seconds(1_000))
                    },
                    .concatenate(.send("inner"), .run { _ in }),
                    .send("rest")
                )
            }
        )
        let task = try await store.dispatch("work")
        await started.wait()
        await store.cancelAllEffects()
        try await task.finish()
        #expect(await store.state == ["work"])
    }
}
