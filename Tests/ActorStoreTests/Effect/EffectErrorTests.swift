import ActorStore
import Testing

@testable import TestFixtures

@Suite("Unhandled errors of effects", .timeLimit(.minutes(10)))
struct EffectErrorTests {
    typealias Action = Ledger.Action

    struct Broken: Error, Equatable { let number: Int }

    private func failing(_ number: Int) -> Effect<Action> { .run(id: number) { _ in throw Broken(number: number) } }

    private func number(of failure: StoreFailure?) -> Int? { (failure?.error as? Broken)?.number }

    @Test(
        "An error carries the action that started its effect, the identity and the place: dispatched, sent or batched"
    )
    func startingAction() async throws {
        struct Plain: Reducer {
            func reduce(into state: inout Int, action: String) -> Effect<String> {
                .concatenate(.run { _ in }, .run(id: action) { _ in throw Broken(number: 1) })
            }
        }
        let store = Store(initialState: 0, reducer: Plain())
        let errors = store.errors
        try await store.dispatch("dispatched")
        store.send("sent")
        store.send(contentsOf: ["first", "second"])
        let failures = try await errors.first(4)
        #expect(Set(failures.compactMap { $0.action as? String }) == ["dispatched", "sent", "first", "second"])
        for failure in failures {
            guard case .effect(let id, let source) = failure.origin else {
                Issue.record("Not an effect: \(failure)")
                continue
            }
            #expect(id?.value as? String == failure.action as? String)
            #expect(source.fileID.hasSuffix("EffectErrorTests.swift"))
            #expect(failure.description.contains("started by"))
        }
    }

    @Test("The description of an error omits redactable values of its action")
    func redaction() async throws {
        struct SignIn: Sendable, Redactable {
            let password: String
        }
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, SignIn> { _, _ in .run { _ in throw Broken(number: 1) } }
        )
        let errors = store.errors
        try await store.dispatch(SignIn(password: "secret"))
        let failure = try #require(try await errors.first(1).first)
        #expect((failure.action as? SignIn)?.password == "secret")
        #expect(!failure.description.contains("secret"))
    }

    @Test("An error of a child's effect, or of its parent's, carries the action dispatched to the child")
    func inTrees() async throws {
        enum RootAction: Sendable { case child(Int) }
        let root = Store(
            initialState: 0,
            reducer: Reduce<Int, RootAction> { _, _ in .run(id: "root") { _ in throw Broken(number: 1) } }
        )
        let child = root.child(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in .run(id: "child") { _ in throw Broken(number: 2) } },
            action: RootAction.child
        )
        let errors = root.errors
        let childErrors = child.errors
        try await child.dispatch(7)
        let failures = try await errors.first(2)
        #expect(failures.compactMap { $0.action as? Int } == [7, 7])
        #expect(Set(failures.compactMap(number)) == [1, 2])
        #expect(Set(try await childErrors.first(2).compactMap(number)) == [1, 2])
        let ownErrors = root.errors
        try await root.dispatch(.child(8))
        #expect(try await ownErrors.first(1).first?.action is RootAction)
    }

    /// A child without effects below a root whose effects fail.
    private func quietChild() -> (root: Store<Int, [Int]>, child: Store<ParentAndChild<Int, Int>, Int>) {
        let root = Store(
            initialState: 0,
            reducer: Reduce<Int, [Int]> { _, _ in .run { _ in throw Broken(number: 1) } }
        )
        let quiet = Reduce<Int, Int> { _, action in action < 0 ? .run { _ in throw Broken(number: 2) } : .none }
        return (root, root.child(initialState: 0, reducer: quiet, action: { [$0] }))
    }

    @Test(
        "An error of a parent's effect carries the child's action, also if the child has no effect",
        arguments: [true, false]
    )
    func quietChildren(isSent: Bool) async throws {
        let (root, child) = quietChild()
        let errors = root.errors
        if isSent { child.send(7) } else { try await child.dispatch(7) }
        #expect(try await errors.first(1).first?.action as? Int == 7)
    }

    @Test(
        "An error of a batch's effect carries the action of the batch that started it, at each level of a tree"
    )
    func batches() async throws {
        let (root, child) = quietChild()
        let errors = root.errors
        child.send(contentsOf: [-1, 2])
        let failures = try await errors.first(3)
        #expect(failures.compactMap { $0.action as? Int }.sorted() == [-1, -1, 2])
    }

    @Test("An error carries the action as it was sent, before interceptors replaced it")
    func replaced() async throws {
        let (root, child) = quietChild()
        let errors = root.errors
        child.use(Interceptor("replace") { _, _, next in try next(99) })
        root.use(Interceptor("replace") { action, _, next in try next(action + [1]) })
        try await child.dispatch(7)
        try await root.dispatch([8])
        let failures = try await errors.first(2)
        #expect(failures.compactMap { $0.action as? Int } == [7])
        #expect(failures.compactMap { $0.action as? [Int] } == [[8]])
    }

    @Test("An error turned into an action is not unhandled, and errors of that action's effects carry that action")
    func caught() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let effect = Effect<Action>.run { _ in
            throw Broken(number: 1)
        } catch: { [failing] _ in
            .start(failing(2))
        }
        try await store.dispatch(.start(effect)).finish()
        await store.shutdown(drain: .finishEffects)
        #expect(try await errors.all().map(number) == [2])
        #expect(store.statistics.failures == 1)
    }

    @Test("Errors during a shutdown reach their observers before the sequences end")
    func duringShutdown() async throws {
        let store = Ledger.store()
        let errors = store.errors
        let goOn = Signal()
        try await store.dispatch(
            .start(
                .run { _ in
                    await goOn.wait()
                    throw Broken(number: 3)
                }
            )
        )
        let shutdown = Task { await store.shutdown(drain: .finishEffects) }
        await until { !store.phase.isReady }
        goOn.fire()
        _ = await shutdown.value
        #expect(try await errors.all().map(number) == [3])
    }

    @Test("Errors unobserved before the shutdown are delivered to later observers")
    func afterShutdown() async throws {
        let store = Ledger.store()
        _ = try? await store.dispatch(.start(failing(4))).finish()
        await store.shutdown(drain: .finishEffects)
        #expect(try await store.errors.all().map(number) == [4])
    }

    @Test(
        "An unobserved error retains its action until the shutdown, which does not describe it",
        arguments: [false, true]
    )
    func lettingGoOfActions(isStale: Bool) async throws {
        struct Note: Sendable, CustomStringConvertible {
            let member: Census.Member
            let descriptions: Collector<Void>
            let effect: Effect<Note>
            var description: String {
                descriptions.append(())
                return "a note"
            }
        }
        let (census, descriptions, goOn) = (Census(), Collector<Void>(), Signal())
        let store = Store(initialState: 0, reducer: Reduce<Int, Note> { _, note in note.effect })
        // It retains the store, and the error retains it.
        let effect = Effect<Note>.run { [store] _ in
            if isStale {
                await store.shutdown(drain: .cancelEffects)
                // It continues after its cancellation.
                await Task.detached { await goOn.wait() }.value
            }
            throw Broken(number: 5)
        }
        let task = try await store.dispatch(Note(member: census.member(), descriptions: descriptions, effect: effect))
        if isStale { await until { if case .ended = store.phase { true } else { false } } }
        goOn.fire()
        _ = try? await task.finish()
        #expect(census.living == 1 || isStale)
        await store.shutdown(drain: .finishEffects)
        await until { census.living == 0 }
        #expect(descriptions.elements.isEmpty)
        let failure = try #require(try await store.errors.all().first)
        #expect(failure.action == nil)
        #expect(failure.description.contains("started by an action of type Note, failed"))
    }

    @Test("Without observers all errors are counted, the last 64 kept, and earlier ones reported as issues, in order")
    func manyUnobserved() async throws {
        let issues = Collector<ReportedIssue>()
        let store = Ledger.store()
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0) }) {
            for number in 0..<70 { _ = try? await store.dispatch(.start(failing(number))).finish() }
        }
        #expect(store.statistics.failures == 70)
        #expect(issues.elements.count == 6)
        for (number, issue) in issues.elements.enumerated() {
            #expect(issue.message.contains("Broken(number: \(number))"))
            #expect(issue.location.fileID.hasSuffix("EffectErrorTests.swift"))
        }
        #expect(try await store.errors.first(64).compactMap(number) == Array(6..<70))
    }

    @Test("Errors are kept for the next observer if the first one is cancelled before delivery")
    func cancelledObserver() async throws {
        let loads = Latch()
        let store = Store(
            initialState: 0,
            loading: {
                await loads.wait()
                throw StoreError.overloaded
            },
            reducer: EmptyReducer<Int, Int>()
        )
        _ = store.errors
        loads.open()
        await #expect(throws: (any Error).self) { try await store.ready() }
        #expect(try await store.errors.first(1).map { $0.error as? StoreError } == [.overloaded])
    }

    @Test("Errors unobserved at the release of the store are reported as issues")
    func released() async throws {
        let issues = Collector<String>()
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0.message) }) {
            var store: Store<Ledger.State, Action>? = Ledger.store()
            _ = try? await store?.dispatch(.start(failing(5))).finish()
            await until { store?.statistics.runningEffects == 0 }
            #expect(issues.elements.isEmpty)
            store = nil
            // The task of the effect may be the last to release the store's parts.
            await until { !issues.elements.isEmpty }
        }
        #expect(issues.elements.count == 1)
        #expect(issues.elements.first?.contains("Broken(number: 5)") == true)
    }

    @Test("An action is released with its effects, also if its task is retained")
    func actionsAreReleased() async throws {
        final class Order: Sendable {}
        let store = Store(initialState: 0, reducer: Reduce<Int, Order> { _, _ in .run { _ in } })
        weak var released: Order?
        let task = try await {
            let order = Order()
            released = order
            return try await store.dispatch(order)
        }()
        try await task.finish()
        await until { released == nil }
        #expect(task.isFinished)
    }

    @Test("Errors are kept for the next observer after the only observer has ended")
    func observerLeaves() async throws {
        let store = Ledger.store()
        var errors: StoreSequence<StoreFailure>? = store.errors
        _ = try? await store.dispatch(.start(failing(1))).finish()
        #expect(try await errors?.first(1).compactMap(number) == [1])
        errors = nil
        _ = try? await store.dispatch(.start(failing(2))).finish()
        #expect(try await store.errors.first(1).compactMap(number) == [2])
        #expect(errors == nil)
    }
}
