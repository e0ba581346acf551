import Testing

@testable import ActorStore
@testable import TestFixtures

/// The outcome of waiting actions in the mailbox when the operation that sent them is cancelled.
@Suite("Actions of cancelled effects", .timeLimit(.minutes(10)))
struct CancelledActionsTests {
    typealias Machine = EffectMachine

    let left = EffectPath(.element(ExactIdentity("left")))

    func work(_ id: String? = nil, _ policy: EffectPolicy = .concurrent) -> Effect<String> {
        .run(id: id, policy: policy) { _ in }
    }

    func begin(_ machine: inout Machine, _ effect: Effect<String>) {
        _ = effect.operation.flatMap { machine.begin($0) }
    }

    /// Ends all begun operations, until there are no more.
    func endAll(_ machine: inout Machine, besides others: [EffectJob] = []) {
        while true {
            let starts = machine.takeStarts().filter { start in !others.contains { $0 === start } }
            if starts.isEmpty { return }
            for job in starts {
                _ = job.endWaiting()
                machine.end(job)
            }
        }
    }

    /// Processes actions.
    ///
    /// - Returns: The accepted ones.
    func counting(_ machine: inout Machine, _ replies: [EffectReply]) -> [String?] {
        replies.filter { reply in reply.origin.map { machine.take($0) } ?? true }.map { $0.action as? String }
    }

    func isEmpty(_ machine: Machine) -> Bool {
        machine.registry.count == 0 && machine.registry.numberOfIdentities == 0 && machine.registry.numberOfPlaces <= 1
    }

    /// Effects of the identity "x" that send "done" at their end.
    var groups: [Effect<String>] {
        let done = Effect<String>.send("done")
        return [
            done.cancellable(id: "x"),
            Effect.concatenate(work(), done).cancellable(id: "x"),
            Effect.merge(done, work()).cancellable(id: "x"),
            Effect.concatenate(work(), .concatenate(.merge(work(), work()), done)).cancellable(id: "x"),
            done.cancellable(id: "inner").cancellable(id: "x"),
            Effect.concatenate(work(), work("inner", .serial), done.cancellable(id: "inner")).cancellable(id: "x"),
            done.debounce(id: "x", for: .seconds(1), clock: ManualClock()),
            done.throttle(id: "x", for: .seconds(1), clock: ManualClock()),
            Effect.concatenate(work(), done).cancellable(id: "x", policy: .serial),
            done.scoped(to: left).cancellable(id: "x"),
            Effect.concatenate(work().scoped(to: left), done.scoped(to: left)).cancellable(id: "x"),
            Effect.concatenate(work(), Effect(operation: .dismissal("done"))).cancellable(id: "x"),
        ]
    }

    // MARK: In the state machine

    @Test("A cancellation by identity reaches actions of a group that has ended", arguments: [true, false])
    func byIdentity(byPolicy: Bool) {
        for group in groups {
            var machine = Machine()
            begin(&machine, group)
            endAll(&machine)
            let waiting = machine.takeReplies()
            #expect(waiting.count == 1)
            begin(&machine, byPolicy ? work("x", .cancelInFlight) : .cancel(id: "x"))
            begin(&machine, .send("other"))
            #expect(counting(&machine, waiting + machine.takeReplies()) == ["other"])
            endAll(&machine)
            #expect(isEmpty(machine))
        }
    }

    @Test("A group that cancels its predecessor withdraws the predecessor's actions, and keeps its own")
    func replacedGroup() {
        var machine = Machine()
        for number in 0..<3 {
            begin(&machine, .send("\(number)").cancellable(id: "x", policy: .cancelInFlight))
        }
        let next = ["a", "b"].map { Effect<String>.send($0).cancellable(id: "x") }
        begin(&machine, .concatenate([.cancel(id: "x")] + next))
        #expect(counting(&machine, machine.takeReplies()) == ["a", "b"])
        #expect(isEmpty(machine))
    }

    @Test("Actions of a group are accepted if nothing cancels it, and the group leaves nothing behind")
    func undisturbed() {
        for group in groups {
            var machine = Machine()
            begin(&machine, group)
            endAll(&machine)
            begin(&machine, .cancel(id: "y"))
            begin(&machine, Effect.cancel(id: "x").scoped(to: left))
            #expect(counting(&machine, machine.takeReplies()) == ["done"])
            begin(&machine, .cancel(id: "x"))
            #expect(isEmpty(machine))
        }
    }

    @Test("A cancellation reaches the actions of its target, and no actions of what surrounds it or stands beside it")
    func innerGroup() {
        var machine = Machine()
        let effect = Effect<String>.merge(
            .send("inner").cancellable(id: "inner"),
            .send("outer"),
            .concatenate(.send("first"), .cancel(id: "x"), .send("last"))
        )
        begin(&machine, .merge(effect.cancellable(id: "x"), .send("beside")))
        begin(&machine, .cancel(id: "inner"))
        #expect(counting(&machine, machine.takeReplies()) == ["outer", "first", "last", "beside"])
        #expect(isEmpty(machine))
    }

    @Test("The actions of an operation are dropped with the group around it, also when both have ended")
    func workInGroup() throws {
        for isDetached in [false, true] {
            var machine = Machine()
            let group = Effect.concatenate(work(), work("inner")).cancellable(id: "x").cancellable(id: "outer")
            begin(&machine, (isDetached ? group.detached() : group).scoped(to: left))
            for last in [false, true] {
                let job = try #require(machine.takeStarts().first)
                #expect(job.beginFeedback() && !job.hasLostActions)
                machine.end(job)
                guard last else {
                    if job.endFeedback() { machine.forget(job) }
                    continue
                }
                begin(&machine, Effect.cancel(id: "outer").scoped(to: left))
                #expect(job.hasLostActions)
                #expect(job.endFeedback())
                machine.forget(job)
            }
            #expect(isEmpty(machine))
        }
    }

    @Test("Actions of a group are dropped with the child that requested it, and when all effects are cancelled")
    func child() {
        for cancelsAll in [false, true] {
            var machine = Machine()
            for group in groups {
                begin(&machine, group.scoped(to: left))
                endAll(&machine)
            }
            let waiting = machine.takeReplies()
            #expect(waiting.count == groups.count)
            if cancelsAll { machine.cancelAll() } else { begin(&machine, .cancelAll(below: left)) }
            #expect(counting(&machine, waiting).isEmpty)
            // The interval of a throttle continues while the child is present.
            #expect(cancelsAll ? machine.registry.count == 0 : isEmpty(machine))
        }
    }

    @Test(
        "A cancellation of all effects reaches actions that have waited for other operations, and none of later effects"
    )
    func afterOtherWork() {
        var machine = Machine()
        begin(&machine, .send("sent"))
        begin(&machine, .concatenate(.send("at once"), .send("as well"), work(), .send("later")))
        begin(&machine, .concatenate(.send("of child"), work(), .send("later, of child")).scoped(to: left))
        endAll(&machine)
        machine.cancelAll()
        begin(&machine, .concatenate(work(), .send("next")))
        endAll(&machine)
        let counting = counting(&machine, machine.takeReplies())
        #expect(counting == ["sent", "at once", "as well", "of child", "next"])
        #expect(isEmpty(machine))
    }

    @Test("An operation that has ended does not count for policies while its actions wait")
    func policies() {
        let policies: [EffectPolicy] = [
            .ignoreIfRunning, .oldest(1, overflow: .drop), .serial, .newest(1), .concurrent,
        ]
        for policy in policies {
            var machine = Machine()
            for number in 0..<3 {
                begin(&machine, .send("\(number)").cancellable(id: "x", policy: policy))
                #expect(machine.takeStarts().isEmpty)
            }
            #expect(counting(&machine, machine.takeReplies()) == ["0", "1", "2"])
            #expect(isEmpty(machine))
        }
    }

    @Test("Cancelling an action's task withdraws actions of groups that have not ended, and of no group that has")
    func tasks() throws {
        var machine = Machine()
        let group = Effect.merge(.send("sent"), work()).cancellable(id: "x")
        for hasEnded in [false, true] {
            let tracker = try #require(group.operation.flatMap { machine.begin($0) })
            let job = try #require(machine.takeStarts().first)
            if hasEnded { machine.end(job) }
            _ = tracker.cancel()
            #expect(counting(&machine, machine.takeReplies()) == (hasEnded ? ["sent"] : []))
            if !hasEnded { machine.end(job) }
            #expect(isEmpty(machine))
        }
    }

    @Test("Cancelling an action's task withdraws actions of ended operations whose group runs on, or that are tracked")
    func tasksOfEndedWork() throws {
        let root = Ledger.store().root
        for isTracked in [false, true] {
            var machine = Machine()
            let tracker = EffectTracker(tracksFeedback: isTracked)
            let effect = isTracked ? work() : Effect.merge(work(), work()).cancellable(id: "x")
            _ = effect.operation.flatMap { machine.begin($0, joining: tracker) }
            let job = try #require(machine.takeStarts().first)
            #expect(job.beginFeedback())
            machine.end(job)
            #expect(!root.isStale(job))
            _ = tracker.cancel()
            #expect(root.isStale(job))
        }
    }

    @Test("A closed machine holds nothing after its last actions have been reduced")
    func close() {
        var machine = Machine()
        for group in groups + [.concatenate(work(), .send("later"))] {
            begin(&machine, group)
            endAll(&machine)
            begin(&machine, .merge(group, work()))
        }
        machine.close()
        endAll(&machine)
        for reply in machine.takeReplies() { _ = reply.origin.map { machine.take($0) } }
        #expect(isEmpty(machine))
    }

    @Test(
        "n effects of one identity with waiting actions take linear time in n",
        arguments: [EffectPolicy.concurrent, .cancelInFlight, .ignoreIfRunning, .newest(2), .serial]
    )
    func isLinear(policy: EffectPolicy) async throws {
        try await expectLinear { count in
            {
                var machine = Machine()
                for _ in 0..<count { begin(&machine, .send("done").cancellable(id: "x", policy: policy)) }
                begin(&machine, .cancel(id: "x"))
                #expect(counting(&machine, machine.takeReplies()).isEmpty)
                #expect(isEmpty(machine))
            }
        }
    }

    // MARK: In stores

    /// The cancellations of the operation "x", by the next action or from outside.
    enum Canceller: CaseIterable, Sendable {
        case effect, policy, store, all
    }

    private func cancel(_ canceller: Canceller, _ store: Store<Ledger.State, Ledger.Action>) async {
        switch canceller {
        case .effect: store.send(.start(.cancel(id: "x")))
        case .policy: store.send(.start(.send(.add(1)).cancellable(id: "x", policy: .cancelInFlight)))
        case .store: await store.cancelEffects(id: "x")
        case .all: await store.cancelAllEffects()
        }
    }

    @Test(
        "An action of an ended group is not reduced after the group was cancelled",
        arguments: Canceller.allCases
    )
    func endedGroup(canceller: Canceller) async throws {
        let (executor, mayEnd) = (OneThreadExecutor(), Latch())
        let store = Ledger.store(configuration: StoreConfiguration(executor: executor))
        let group = Effect<Ledger.Action>.concatenate(.run { _ in await mayEnd.wait() }, .send(.write("done")))
        try await store.dispatch(.start(group.cancellable(id: "x")))
        let hold = await store.holdUp()
        mayEnd.open()
        // The job of the task resumed here reports the end of the operation to the store.
        await Task(executorPreference: executor) {}.value
        // Arrives behind that, and before its follow-ups.
        let cancellation = Task(executorPreference: executor) { await cancel(canceller, store) }
        await Task(executorPreference: executor) {}.value
        hold.release()
        await cancellation.value
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.note.isEmpty && store.snapshot.total == (canceller == .policy ? 1 : 0))
    }

    @Test(
        "An action of a batch cancels actions that an effect of an earlier action of the batch has sent",
        arguments: [true, false]
    )
    func batch(byPolicy: Bool) async throws {
        let store = Ledger.store()
        let canceller = Effect<Ledger.Action>.send(.add(1)).cancellable(id: "x", policy: .cancelInFlight)
        store.send(
            contentsOf: [
                .start(.send(.write("done")).cancellable(id: "x")),
                .start(byPolicy ? canceller : .merge(.cancel(id: "x"), .send(.add(1)))),
            ]
        )
        await store.shutdown(drain: .finishEffects)
        #expect(store.snapshot.note.isEmpty && store.snapshot.total == 1)
        #expect(store.statistics.lateActions == 1)
    }

    @Test("Children cancel actions of groups, and end after these actions have been processed")
    func childStore() async throws {
        let root = Ledger.store()
        let child = Ledger.child(of: root)
        child.send(
            contentsOf: [
                .start(.send(.write("done")).cancellable(id: "x")),
                .start(.cancel(id: "x")),
                .start(.send(.add(1)).cancellable(id: "x")),
            ]
        )
        await child.shutdown(drain: .finishEffects)
        #expect(child.snapshot.local.note.isEmpty && child.snapshot.local.total == 1)
        #expect(root.statistics.lateActions == 1)
    }
}
