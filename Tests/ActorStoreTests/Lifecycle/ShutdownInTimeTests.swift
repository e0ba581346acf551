import ActorStore
import ActorStoreTesting
import Foundation
import Testing

@testable import TestFixtures

@Suite("Shutdown deadlines in suspended trees", .timeLimit(.minutes(10)))
struct ShutdownInTimeTests {
    private typealias Counter = Store<Int, Int>

    private func counter() -> Counter { Store(initialState: 0) { (count: inout Int, step: Int) in count += step } }

    @Test("A shutdown of a child returns in time while an observer suspends the tree, and ends the child")
    func suspended() async throws {
        let root = counter()
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        let local = child.values(of: \.local)
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        root.send(1)
        root.send(1)
        let report = await child.shutdown(drain: .cancelEffects, within: .milliseconds(50))
        #expect(report.isClean)
        #expect(child.phase.description == "ended")
        #expect(child.send(1) == .refused(.shutDown))
        #expect(try await local.all() == [0])
        // The rest of the tree continues.
        #expect(root.snapshot == 0)
        #expect(try await values.first(3) == [0, 1, 2])
    }

    @Test("A shutdown in time reports running effects of a child while an observer suspends the tree")
    func unfinished() async throws {
        let root = counter()
        let (started, release) = (Signal(), Signal())
        struct Working: Reducer {
            let started: Signal, release: Signal
            func reduce(into state: inout Int, action: Int) -> Effect<Int> {
                .run { _ in
                    started.fire()
                    await Task.detached { await release.wait() }.value
                }
            }
        }
        let child = root.child(initialState: 0, reducer: Working(started: started, release: release))
        try await child.dispatch(0)
        await started.wait()
        let errors = root.errors
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        root.send(1)
        root.send(1)
        let report = await child.shutdown(drain: .finishEffects, within: .milliseconds(50))
        #expect(report.unfinishedEffects.count == 1)
        #expect(try await errors.first(1).map { $0.error is EffectStillRunning } == [true])
        release.fire()
        withExtendedLifetime(values) {}
    }

    @Test(
        "A shutdown in time cancels a child's effects in a suspended tree, and reports no effect that obeyed",
        arguments: [ShutdownDrain.cancelEffects, .finishEffects]
    )
    func obedient(drain: ShutdownDrain) async throws {
        let root = counter()
        let started = Signal()
        let ended = Signal()
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in
                .run { _ in
                    started.fire()
                    try? await Task.sleep(for: .seconds(1_000))
                    ended.fire()
                }
            }
        )
        try await child.dispatch(0)
        await started.wait()
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        root.send(1)
        root.send(1)
        let clock = TestClock()
        async let report = child.shutdown(
            drain: drain,
            within: .seconds(10),
            reserving: .seconds(1),
            clock: clock
        )
        if drain == .finishEffects {
            await clock.untilSleeping()
            await clock.advance(by: .seconds(9))
        }
        // Its end waits in the mailbox, because the tree is suspended.
        await ended.wait()
        await until {
            if child.phase.description.contains("ended") { return true }
            await Task.yield()
            await clock.advance(by: .seconds(1))
            return false
        }
        #expect(await report.isClean)
        withExtendedLifetime(values) {}
    }

    @Test("A shutdown of a child of a loading root returns in time")
    func loading() async throws {
        let loaded = Signal()
        let root = Store(
            initialState: 0,
            loading: {
                await Task.detached { await loaded.wait() }.value
                return 1
            },
            reducer: Reduce<Int, Int> { count, step in
                count += step
                return .none
            }
        )
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        let report = await child.shutdown(drain: .finishEffects, within: .milliseconds(50))
        #expect(report.isLoading)
        loaded.fire()
        try await root.ready()
        #expect(root.snapshot == 1)
    }

    @Test(
        "A shutdown with a deadline returns when its task is cancelled, for a root and for a child",
        arguments: [false, true]
    )
    func cancelled(isChild: Bool) async throws {
        let root = counter()
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        let values = root.values(of: \.self, buffering: .bounded(1, onOverflow: .suspendStore))
        root.send(1)
        root.send(1)
        let task = Task {
            if isChild {
                _ = await child.shutdown(drain: .finishEffects, within: .milliseconds(50))
            } else {
                _ = await root.shutdown(drain: .finishEffects, within: .milliseconds(50))
            }
        }
        task.cancel()
        await task.value
        withExtendedLifetime(values) {}
    }

    @Test("A shutdown returns in time although messages arrive without end")
    func busy() async throws {
        let root = counter()
        let child = root.child(initialState: 0, reducer: Reduce { (count: inout Int, step: Int) in count += step })
        let isOver = Collector<Bool>()
        let ended = Signal()
        onThread {
            while isOver.elements.isEmpty { root.send(1) }
            ended.fire()
        }
        _ = await child.shutdown(drain: .finishEffects, within: .milliseconds(50))
        isOver.append(true)
        await ended.wait()
    }
}
