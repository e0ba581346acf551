import Testing

@testable import ActorStore

@Suite("The effect machine", .timeLimit(.minutes(10)))
struct EffectMachineTests {
    typealias Machine = EffectMachine

    func work(_ id: String? = nil, _ policy: EffectPolicy = .concurrent) -> Effect<String> {
        .run(id: id, policy: policy) { _ in }
    }

    func begin(_ machine: inout Machine, _ effect: Effect<String>) -> EffectTracker? {
        effect.operation.flatMap { machine.begin($0) }
    }

    @Test("Sending needs no task, and leaves nothing pending")
    func send() {
        var machine = Machine()
        #expect(begin(&machine, .send("a")) == nil)
        #expect(begin(&machine, .concatenate(.send("b"), .merge(.send("c"), .send("d")), .send("e"))) == nil)
        #expect(machine.takeReplies().map { $0.action as? String } == ["a", "b", "c", "d", "e"])
        #expect(machine.takeReplies().isEmpty && machine.takeStarts().isEmpty)
    }

    @Test("A merge begins all its parts at once, and ends with the last")
    func merge() throws {
        var machine = Machine()
        let tracker = try #require(begin(&machine, .merge(work("a"), .send("x"), work("b"))))
        let starts = machine.takeStarts()
        #expect(starts.map(\.id) == [EffectID("a"), EffectID("b")])
        end(&machine, starts[1])
        #expect(!tracker.isFinished)
        end(&machine, starts[0])
        #expect(tracker.isFinished)
        #expect(machine.registry.count == 0)
    }

    @Test("A concatenation begins each part after the end of the one before, and sends between them in order")
    func concatenate() throws {
        var machine = Machine()
        let effect = Effect<String>.concatenate(
            work("a"),
            .send("x"),
            .merge(work("b"), work("c")),
            .send("y"),
            work("d")
        )
        let tracker = try #require(begin(&machine, effect))
        let a = machine.takeStarts()
        #expect(a.map(\.id) == [EffectID("a")])
        #expect(machine.takeReplies().isEmpty)
        end(&machine, a[0])
        #expect(machine.takeReplies().map { $0.action as? String } == ["x"])
        let both = machine.takeStarts()
        #expect(both.map(\.id) == [EffectID("b"), EffectID("c")])
        end(&machine, both[0])
        #expect(machine.takeStarts().isEmpty && machine.takeReplies().isEmpty)
        end(&machine, both[1])
        #expect(machine.takeReplies().map { $0.action as? String } == ["y"])
        let d = machine.takeStarts()
        #expect(d.map(\.id) == [EffectID("d")])
        end(&machine, d[0])
        #expect(tracker.isFinished)
    }

    @Test("Nested concatenations run in order")
    func nested() throws {
        var machine = Machine()
        let effect = Effect<String>.concatenate(
            .concatenate(work("a"), work("b")),
            .merge(.concatenate(work("c"), work("d")), work("e")),
            work("f")
        )
        let tracker = try #require(begin(&machine, effect))
        var order: [String] = []
        var running = Array(machine.takeStarts())
        while !running.isEmpty {
            let next = running.removeFirst()
            order.append(next.id?.description ?? "?")
            end(&machine, next)
            running += machine.takeStarts()
        }
        #expect(order == ["a", "b", "c", "e", "d", "f"])
        #expect(tracker.isFinished)
    }

    @Test("A concatenation of 100,000 parts does not grow the stack, whether they end immediately or not")
    func longConcatenations() throws {
        var machine = Machine()
        #expect(begin(&machine, .concatenate((0..<100_000).map { _ in .send("x") })) == nil)
        #expect(machine.takeReplies().count == 100_000)
        let tracker = try #require(begin(&machine, .concatenate((0..<100_000).map { _ in work() })))
        var count = 0
        while let start = machine.takeStarts().first {
            count += 1
            end(&machine, start)
        }
        #expect(count == 100_000 && tracker.isFinished)
    }

    @Test("cancelInFlight cancels the running effect and begins; ignoreIfRunning does not begin before its end")
    func policies() throws {
        var machine = Machine()
        _ = begin(&machine, work("a"))
        let first = try #require(machine.takeStarts().first)
        #expect(begin(&machine, work("a", .ignoreIfRunning)) == nil)
        #expect(machine.takeStarts().isEmpty)
        _ = begin(&machine, work("a", .cancelInFlight))
        #expect(first.isCancelled)
        let second = try #require(machine.takeStarts().first)
        #expect(second.isRunning)
        end(&machine, second)
        // The first has been cancelled, so it no longer counts as running although it has not ended.
        #expect(begin(&machine, work("a", .ignoreIfRunning)) != nil)
    }

    @Test("A cancellation inside a concatenation does not reach later parts")
    func cancelThenRun() throws {
        var machine = Machine()
        _ = begin(&machine, work("a"))
        let old = try #require(machine.takeStarts().first)
        _ = begin(&machine, .concatenate(.cancel(id: "a"), work("a")))
        let new = try #require(machine.takeStarts().first)
        #expect(old.isCancelled && !new.isCancelled)

        _ = begin(&machine, .concatenate(work("b"), .cancel(id: "c"), work("c")))
        let b = try #require(machine.takeStarts().first)
        _ = begin(&machine, work("c"))
        let otherC = try #require(machine.takeStarts().first)
        end(&machine, b)
        let c = try #require(machine.takeStarts().first)
        #expect(otherC.isCancelled && !c.isCancelled)
    }

    @Test(
        "A cancellation reaches parts of a merge that have begun, in any position, and no others",
        arguments: [false, true]
    )
    func cancelsBeside(stepsAside: Bool) throws {
        let cancellers: [Effect<String>] = [
            .cancel(id: "x"), work("x", .cancelInFlight), work().cancellable(id: "x", policy: .cancelInFlight),
        ]
        let others: [Effect<String>] = [
            work("x"), work().cancellable(id: "x"), work().debounce(id: "x", for: .seconds(1)), work("x", .serial),
        ]
        for (index, canceller) in cancellers.enumerated() {
            for (otherIndex, other) in others.enumerated() {
                var machine = Machine()
                let cancelling = Effect.concatenate(work("gate"), canceller)
                let besides = stepsAside ? Effect.concatenate(work("other gate"), other) : other
                let tracker = try #require(begin(&machine, .merge(cancelling, besides)))
                var running = Array(machine.takeStarts())
                end(&machine, running.removeFirst())
                running += machine.takeStarts()
                let cancelled = running.filter(\.isCancelled)
                #expect(cancelled.count == (stepsAside ? 0 : 1), "canceller \(index), other \(otherIndex)")
                #expect(cancelled.isEmpty || cancelled[0] === running[0], "canceller \(index), other \(otherIndex)")
                while !running.isEmpty {
                    end(&machine, running.removeFirst())
                    running += machine.takeStarts()
                }
                #expect(tracker.isFinished && machine.registry.count == 0)
            }
        }
    }

    @Test("An effect cancelled before its start is skipped, and its successor is not")
    func cancelWaiting() throws {
        var machine = Machine()
        let tracker = try #require(begin(&machine, .concatenate(work("a"), work("b"), work("c"))))
        let a = try #require(machine.takeStarts().first)
        #expect(begin(&machine, .cancel(id: "b")) == nil)
        end(&machine, a)
        let c = try #require(machine.takeStarts().first)
        #expect(c.id == EffectID("c"))
        end(&machine, c)
        #expect(tracker.isFinished && machine.registry.count == 0)
    }

    @Test("Cancelling an action's effects skips everything that has not begun, sends included")
    func cancelTracker() throws {
        var machine = Machine()
        let tracker = try #require(begin(&machine, .concatenate(work(), .send("x"), work("b"))))
        let first = try #require(machine.takeStarts().first)
        _ = tracker.cancel()
        #expect(first.isCancelled && !tracker.isFinished)
        end(&machine, first)
        #expect(machine.takeStarts().isEmpty && machine.takeReplies().isEmpty)
        #expect(tracker.isFinished && machine.registry.count == 0)
    }

    @Test("Closing the machine cancels everything, begins nothing, and resumes waiters when the tasks have ended")
    func close() throws {
        var machine = Machine()
        let tracker = try #require(begin(&machine, .concatenate(.merge(work("a"), work("b")), work("c"))))
        let starts = machine.takeStarts()
        machine.close()
        machine.close()
        #expect(!starts.contains { !$0.isCancelled })
        end(&machine, starts[0])
        #expect(!tracker.isFinished)
        end(&machine, starts[1])
        #expect(tracker.isFinished && machine.takeStarts().isEmpty)
        #expect(machine.registry.count == 0)
    }

    @Test("Closing releases a waiting group as soon as its members have ended")
    func closeAfterWaiting() throws {
        var machine = Machine()
        let effect = work("a").debounce(id: "group", for: .seconds(1), clock: ContinuousClock())
        let tracker = try #require(begin(&machine, effect.cancellable(id: "outer")))
        end(&machine, try #require(machine.takeStarts().first))
        let member = try #require(machine.takeStarts().first)
        machine.close()
        end(&machine, member)
        #expect(tracker.isFinished && machine.registry.count == 0)
    }

    @Test("A closed machine begins nothing, and holds nothing")
    func beginClosed() {
        var machine = Machine()
        machine.close()
        let effects = [work("a"), .concatenate(work("b"), work("c")), .merge(work(), work()).cancellable(id: "d")]
        for effect in effects { #expect(begin(&machine, effect) == nil) }
        #expect(machine.takeStarts().isEmpty && machine.registry.count == 0)
    }

    @Test("Closing releases a group with running members as soon as they have ended")
    func closeWithGroups() throws {
        var machine = Machine()
        weak var released: EffectTracker?
        do {
            let effect = Effect<String>.merge(work("a"), .concatenate(work("b"), work("c")))
            let tracker = try #require(begin(&machine, effect.cancellable(id: "group")))
            released = tracker
            let starts = machine.takeStarts()
            machine.close()
            for start in starts { end(&machine, start) }
            #expect(starts.count == 2 && tracker.isFinished)
        }
        #expect(machine.registry.count == 0)
        #expect(released == nil)
    }

    /// The end of a task.
    private func end(_ machine: inout Machine, _ start: EffectJob) {
        _ = start.endWaiting()
        machine.end(start)
        _ = machine.takeEnds()
        _ = machine.takeReleases()
    }
}
