import ActorStoreComposition
import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Effects of children in the effect machine", .timeLimit(.minutes(10)))
struct ScopedEffectTests {
    typealias Machine = EffectMachine

    let left = EffectPath(.element(ExactIdentity("left")))
    let right = EffectPath(.element(ExactIdentity("right")))
    let inner = EffectPath(.part(\String.count))

    func work(_ id: String? = nil, _ policy: EffectPolicy = .concurrent) -> Effect<String> {
        .run(id: id, policy: policy) { _ in }
    }

    @discardableResult
    func begin(_ machine: inout Machine, _ effect: Effect<String>) -> EffectTracker? {
        effect.operation.flatMap { machine.begin($0) }
    }

    func start(_ machine: inout Machine, _ effect: Effect<String>) throws -> EffectJob {
        begin(&machine, effect)
        return try #require(machine.takeStarts().first)
    }

    func end(_ machine: inout Machine, _ start: EffectJob) {
        machine.end(start)
    }

    /// The pending actions that are still accepted.
    func counting(_ machine: inout Machine) -> [String?] {
        machine.takeReplies().filter { reply in reply.origin.map { machine.take($0) } ?? true }.map {
            $0.action as? String
        }
    }

    @Test("Paths get their prefixes from the inside outwards")
    func paths() throws {
        var machine = Machine()
        let outer = try start(&machine, work().scoped(to: inner).scoped(to: left))
        begin(&machine, .cancelAll(below: inner + left))
        #expect(!outer.isCancelled)
        begin(&machine, .cancelAll(below: left + inner))
        #expect(outer.isCancelled)
        #expect(
            (left + inner).isAtOrBelow(left) && !(left + inner).isAtOrBelow(inner) && left.isAtOrBelow(EffectPath())
        )
        #expect(EffectPath(.element(ExactIdentity("left"))) == left && left != right)
        #expect(EffectPath(.attachment(EffectID("left"))) != left)
    }

    @Test(
        "A dismissal of detached effects counts until the presented child, or an ancestor of it, has gone",
        arguments: [true, false]
    )
    func dismissals(isDetached: Bool) throws {
        var machine = Machine()
        let (outer, effects) = (right, isDetached ? ChildEffects.endWithChild : .outliveChild)
        func presented(_ effect: Effect<String>) -> Effect<String> {
            (isDetached ? effect.detached() : effect).scoped(to: inner).scoped(to: left, isPresentation: true)
                .scoped(to: outer)
        }
        for (gone, ends) in [(outer + left + inner, false), (outer + left, true), (outer, true)] {
            let first = try start(&machine, presented(work()))
            let job = try start(&machine, presented(.concatenate(work(), Effect(operation: .dismissal("waiting")))))
            begin(&machine, presented(Effect(operation: .dismissal("asked"))))
            begin(&machine, presented(.send("sent")))
            begin(&machine, .endPresentation(below: gone, effects))
            let later = try start(&machine, presented(work()))
            begin(&machine, presented(Effect(operation: .dismissal("later"))))
            #expect(first.isPresentationOver == ends && !first.isCancelled && !later.isPresentationOver)
            end(&machine, job)
            #expect(counting(&machine) == (ends ? ["sent", "later"] : ["asked", "sent", "later", "waiting"]))
        }
    }

    @Test("The throttle interval of a child ends with the child, unless its effects outlive it")
    func throttles() throws {
        var machine = Machine()
        let clock = ManualClock()
        /// Whether it has to wait.
        func ask(at path: EffectPath, isDetached: Bool = false) throws -> Bool {
            let effect = work().throttle(id: "t", for: .seconds(10), clock: clock)
            return try start(&machine, (isDetached ? effect.detached() : effect).scoped(to: inner).scoped(to: path))
                .isWaiting
        }
        let third = EffectPath(.element(ExactIdentity("third")))
        #expect(try ![left, right, third].contains { try ask(at: $0, isDetached: $0 == third) })
        #expect(try ask(at: left) && ask(at: right) && ask(at: third, isDetached: true))
        begin(&machine, .endPresentation(below: left, .outliveChild))
        #expect(try ask(at: left))
        begin(&machine, .cancelElements(below: EffectPath()) { $0 == ExactIdentity("right") })
        #expect(try !ask(at: left) && ask(at: right))
        #expect(try !ask(at: third))
        begin(&machine, .cancelElements(below: EffectPath()) { _ in false })
        #expect(machine.registry.numberOfThrottles == 0)
    }

    @Test("A throttle interval requested after the end of the previous child, in the same effect, is kept")
    func throttleOfTheNext() throws {
        var machine = Machine()
        let throttled = work().throttle(id: "t", for: .seconds(10), clock: ManualClock()).scoped(to: left)
        #expect(try !start(&machine, .merge(.cancelAll(below: left), throttled)).isWaiting)
        #expect(try start(&machine, throttled).isWaiting)
    }

    @Test("A detached operation is not found by the next child at the same place")
    func nextChild() throws {
        var machine = Machine()
        let clock = ManualClock()
        let next: [Effect<String>] = [
            work().debounce(id: "a", for: .seconds(1), clock: clock),
            work().throttle(id: "a", for: .seconds(1), clock: clock),
            work("a", .cancelInFlight),
            work("a", .ignoreIfRunning),
            work("a", .newest(1)),
            work("a", .oldest(1, overflow: .drop)),
            work("a", .serial),
            .merge(.cancel(id: "a"), work()),
        ]
        for effect in next {
            let saves = [
                try start(&machine, work("a").detached().scoped(to: left)),
                try start(&machine, work("a", .serial).detached().scoped(to: left)),
                try start(
                    &machine,
                    work().debounce(id: "a", for: .seconds(9), clock: clock).detached().scoped(to: left)
                ),
            ]
            begin(&machine, .cancelAll(below: left))
            let own = try start(&machine, effect.scoped(to: left))
            #expect(!saves.contains(where: \.isCancelled) && own.queuePosition == nil)
            for job in saves + [own] { end(&machine, job) }
        }
        #expect(machine.registry.count == 0)
    }

    @Test("A detached operation finds its own operations, and none of the next child at the same place")
    func formerChild() throws {
        var machine = Machine()
        let clock = ManualClock()
        let steps: [Effect<String>] = [
            work("a", .cancelInFlight), work("a", .ignoreIfRunning), .concatenate(.cancel(id: "a"), work()),
            work("a", .serial), work("a", .oldest(1, overflow: .drop)),
            work().debounce(id: "a", for: .zero, clock: clock),
        ]
        for step in steps {
            let first = try start(&machine, Effect.concatenate(work(), step).detached().scoped(to: left))
            begin(&machine, .cancelAll(below: left))
            let next = try start(&machine, work("a", .serial).scoped(to: left))
            end(&machine, first)
            let second = try #require(machine.takeStarts().first)
            #expect(!next.isCancelled && !second.isCancelled && second.queuePosition == nil)
            for job in [next, second] { end(&machine, job) }
        }
        let save = try start(&machine, work("a").detached().scoped(to: left))
        let other = try start(&machine, Effect.concatenate(work(), .cancel(id: "a")).detached().scoped(to: left))
        let queued = try [0, 1].map { _ in try start(&machine, work("b", .serial).detached().scoped(to: left)) }
        begin(&machine, .cancelAll(below: left))
        end(&machine, other)
        #expect(save.isCancelled)
        #expect(!queued[1].holdsSlot)
        end(&machine, queued[0])
        #expect(queued[1].holdsSlot)
        for job in [save, queued[1]] { end(&machine, job) }
        #expect(machine.registry.count == 0 && machine.registry.numberOfPlaces <= 1)
    }

    @Test("A cancellation behind another operation finds what its child has begun meanwhile", arguments: [true, false])
    func cancellationBehindOtherWork(isDetached: Bool) throws {
        var machine = Machine()
        let cancellation = Effect<String>.cancel(id: "a")
        let step = (isDetached ? cancellation.detached() : cancellation).scoped(to: left)
        let first = try start(&machine, .concatenate(work(), step))
        let mine = try start(&machine, work("a").scoped(to: left))
        end(&machine, first)
        #expect(mine.isCancelled)
    }

    @Test("A departed ancestor is no longer dismissed by an operation of a child that has gone before")
    func nestedDismissals() throws {
        var machine = Machine()
        let job = try start(&machine, work().detached().scoped(to: inner).scoped(to: left, isPresentation: true))
        begin(&machine, .cancelAll(below: left + inner))
        #expect(!job.isPresentationOver)
        begin(&machine, .endPresentation(below: left, .endWithChild))
        #expect(job.isPresentationOver && !job.isCancelled)
    }

    @Test("Children end with the action that removes them, also behind other operations and in unbegun effects")
    func endsAtOnce() throws {
        var machine = Machine()
        let blocking = try start(&machine, work("busy"))
        let wholes: [(Effect<String>) -> Effect<String>] = [
            { .concatenate(self.work(), $0) },
            { Effect.merge(self.work(), $0).cancellable(id: "busy", policy: .ignoreIfRunning) },
            { Effect.merge(self.work(), $0).cancellable(id: "queue", policy: .serial) },
            { Effect.merge(self.work(), $0).cancellable(id: "queue", policy: .serial) },
            { Effect.merge(self.work(), $0).debounce(id: "d", for: .seconds(9), clock: ManualClock()) },
        ]
        for whole in wholes {
            let former = try start(&machine, work().scoped(to: left))
            begin(&machine, .send("former").scoped(to: left))
            begin(&machine, whole(.cancelAll(below: left)))
            let next = try start(&machine, work().scoped(to: left))
            for job in machine.takeStarts() { end(&machine, job) }
            #expect(former.isCancelled && !next.isCancelled)
            #expect(counting(&machine) == [])
        }
        #expect(!blocking.isCancelled)
    }

    @Test("Actions of departed children are not searched again for each further departure")
    func manyPendingActions() async throws {
        try await expectLinear { count in
            {
                var machine = Machine()
                // Children send and go, while nothing is reduced.
                for _ in 0..<count {
                    begin(&machine, .send("late").scoped(to: left))
                    begin(&machine, .cancelAll(below: left))
                }
                #expect(counting(&machine).isEmpty)
            }
        }
    }

    @Test("A child cancels its own operations of an identity, and none of its parent, siblings and children")
    func cancelIsScoped() throws {
        var machine = Machine()
        let parent = try start(&machine, work("a"))
        let mine = try start(&machine, work("a").scoped(to: left))
        let sibling = try start(&machine, work("a").scoped(to: right))
        let child = try start(&machine, work("a").scoped(to: inner).scoped(to: left))
        begin(&machine, .cancel(id: "a").scoped(to: left))
        #expect(mine.isCancelled)
        #expect(!parent.isCancelled && !sibling.isCancelled && !child.isCancelled)
        begin(&machine, .cancel(id: "a"))
        #expect(parent.isCancelled)
        #expect(!sibling.isCancelled && !child.isCancelled)
    }

    @Test("Policies compare operations within one child")
    func policiesAreScoped() throws {
        var machine = Machine()
        let mine = try start(&machine, work("a").scoped(to: left))
        let sibling = try start(&machine, work("a", .ignoreIfRunning).scoped(to: right))
        #expect(begin(&machine, work("a", .ignoreIfRunning).scoped(to: left)) == nil)
        #expect(machine.takeStarts().isEmpty)
        _ = try start(&machine, work("a", .cancelInFlight).scoped(to: left))
        #expect(mine.isCancelled && !sibling.isCancelled)
    }

    @Test("Cancelling a child cancels all of its effects, begun or not, with those of its children, and nothing else")
    func cancelAll() throws {
        var machine = Machine()
        let mine = try start(&machine, work("a").scoped(to: left))
        let child = try start(&machine, work().scoped(to: inner).scoped(to: left))
        let sibling = try start(&machine, work("a").scoped(to: right))
        let parent = try start(&machine, work("a"))
        let tracker = try #require(
            begin(&machine, .concatenate(work(), work("b"), .send("x"), work("c")).scoped(to: left))
        )
        let waiting = try #require(machine.takeStarts().first)
        begin(&machine, .cancelAll(below: left))
        #expect(mine.isCancelled && child.isCancelled && waiting.isCancelled)
        #expect(!sibling.isCancelled && !parent.isCancelled)
        end(&machine, waiting)
        // Unbegun effects do not begin, and pending actions are not accepted.
        #expect(machine.takeStarts().isEmpty && tracker.isFinished)
        #expect(counting(&machine).isEmpty)
        for start in [mine, child, sibling, parent] { end(&machine, start) }
        #expect(machine.registry.count == 0)
    }

    @Test("An operation cancelled by the effect that requests it does not begin")
    func cancelledAtOnce() throws {
        var machine = Machine()
        let effect = Effect<String>.merge(
            work().scoped(to: left),
            .send("mine").scoped(to: left),
            .send("parent's"),
            .cancelAll(below: left)
        )
        begin(&machine, effect)
        #expect(machine.takeStarts().map(\.isCancelled) == [true])
        #expect(counting(&machine) == ["parent's"])
    }

    @Test("A new child at the same place keeps its operations when the old child's are cancelled late")
    func onlyWhatWasBefore() throws {
        var machine = Machine()
        let first = try start(&machine, work())
        begin(&machine, .concatenate(.run { _ in }, .cancelAll(below: left)))
        let delay = try #require(machine.takeStarts().first)
        let new = try start(&machine, work().scoped(to: left))
        end(&machine, delay)
        #expect(!new.isCancelled && !first.isCancelled)
    }

    @Test("Waiting actions of a child that goes are not accepted; actions of other children are")
    func waitingReplies() {
        var machine = Machine()
        begin(&machine, .send("a").scoped(to: left))
        begin(&machine, .send("b").scoped(to: right))
        begin(&machine, .send("c").scoped(to: inner).scoped(to: left))
        begin(&machine, .send("d"))
        let waiting = machine.takeReplies()
        begin(&machine, .cancelAll(below: left))
        begin(&machine, .send("e").scoped(to: left))
        let all = waiting + machine.takeReplies()
        #expect(
            all.filter { $0.origin.map { machine.take($0) } ?? true }.map { $0.action as? String } == ["b", "d", "e"]
        )
    }

    @Test("Thousands of waiting actions are tracked")
    func manyReplies() {
        var machine = Machine()
        for number in 0..<5_000 { begin(&machine, .send("\(number)").scoped(to: number % 2 == 0 ? left : right)) }
        let waiting = machine.takeReplies()
        let first = waiting.prefix(3_000).filter { $0.origin.map { machine.take($0) } ?? true }
        begin(&machine, .cancelAll(below: left))
        let second = waiting.dropFirst(3_000).filter { $0.origin.map { machine.take($0) } ?? true }
        #expect(first.count == 3_000 && second.count == 1_000)
    }

    @Test("Removed elements are looked up once for each version, and again after elements were added")
    func lookingOnceInAVersion() throws {
        var machine = Machine()
        let looks = Collector<ExactIdentity>()
        func leave(_ version: Int) {
            begin(
                &machine,
                .endPresentations(
                    below: inner,
                    except: {
                        looks.append($0)
                        return $0 != ExactIdentity(3)
                    },
                    version: ExactIdentity(version),
                    .endWithChild
                )
            )
        }
        func start(_ number: Int) throws -> EffectJob {
            try self.start(&machine, work().scoped(to: EffectPath(.element(ExactIdentity(number)))).scoped(to: inner))
        }
        let first = try start(1)
        for _ in 0..<3 { leave(1) }
        #expect(looks.elements.count == 1)
        leave(2)
        #expect(looks.elements.count == 2)
        // Of a version that was restored meanwhile.
        let third = try start(3)
        leave(2)
        #expect(looks.elements.count == 4 && third.isCancelled && !first.isCancelled)
    }

    @Test("Operations of removed elements are cancelled, operations of other elements are not")
    func cancelElements() throws {
        var machine = Machine()
        let starts = try (0..<4).map { number in
            try start(&machine, work().scoped(to: EffectPath(.element(ExactIdentity(number)))).scoped(to: inner))
        }
        let other = try start(&machine, work().scoped(to: inner))
        for number in 0..<4 {
            begin(
                &machine,
                .send("\(number)").scoped(to: EffectPath(.element(ExactIdentity(number)))).scoped(to: inner)
            )
        }
        begin(&machine, .cancelElements(below: inner) { $0 == ExactIdentity(1) || $0 == ExactIdentity(2) })
        #expect(starts.map(\.isCancelled) == [true, false, false, true])
        #expect(!other.isCancelled)
        #expect(counting(&machine) == ["1", "2"])
    }

    @Test("A detached operation continues without its child, under the identity that it had there")
    func detached() throws {
        var machine = Machine()
        let detached = try start(&machine, work("a").detached().scoped(to: left))
        begin(&machine, .send("x").detached().scoped(to: left))
        begin(&machine, .cancelAll(below: left))
        #expect(!detached.isCancelled)
        #expect(counting(&machine) == ["x"])
        let other = try start(&machine, work("a").detached().scoped(to: left))
        begin(&machine, .cancel(id: "a"))
        #expect(!detached.isCancelled && !other.isCancelled)
        begin(&machine, .cancel(id: "a").scoped(to: left))
        #expect(!detached.isCancelled && other.isCancelled)
    }

    @Test("Failures of reducers are passed on, and dismissing a child that is not presented is a failure")
    func failures() throws {
        var machine = Machine()
        let source = CodeLocation(fileID: "Shop/Cart.swift", line: 7)
        let failure = StoreFailure(error: StoreError.overloaded, origin: .reducer(at: source))
        #expect(begin(&machine, .report(failure)) == nil)
        #expect(
            begin(&machine, .merge(.report(failure).scoped(to: left), .dismiss(fileID: "Shop/Cart.swift", line: 8)))
                == nil
        )
        let failures = machine.takeFailures()
        #expect(failures.count == 3 && machine.takeFailures().isEmpty)
        #expect(failures[0].origin == .reducer(at: source))
        #expect(failures[2].error is NotPresented)
        #expect(failures[2].description.contains("Shop/Cart.swift:8"))
    }

    @Test("The nearest presenter of a child determines how it is dismissed")
    func dismissal() {
        var machine = Machine()
        let effect = Effect<Int>.merge(.dismiss(), .send(1))
        let once: Effect<String> = effect.embedded(under: inner, dismissal: "dismiss") { "\($0)" }
        let twice: Effect<String> = once.embedded(under: left, dismissal: "too far") { "outer \($0)" }
        begin(&machine, twice)
        #expect(counting(&machine) == ["outer dismiss", "outer 1"])
    }
}
