import Testing

@testable import ActorStore
@testable import TestFixtures

@Suite("Requests and responses", .timeLimit(.minutes(10)))
struct RequestTests {
    typealias Take = Stockroom.Take

    @Test("Concurrent requests never take more than there is")
    func isDecidedInTheTurn() async throws {
        let store = Stockroom.store(available: 1_000)
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<400 where try await store.ask(Take()) { taken += 1 }
                    return taken
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(taken == 1_000)
        #expect(store.snapshot.available == 0 && store.revision == 1_600)
    }

    @Test("The response to a request that waits in the mailbox is from its own turn")
    func waitsInTheMailbox() async throws {
        let store = Stockroom.store(available: 1)
        let hold = await store.holdUp()
        async let first = store.ask(Take())
        await until { store.statistics.waitingActions == 1 }
        async let second = store.ask(Take())
        await until { store.statistics.waitingActions == 2 }
        hold.release()
        let answers = try await (first, second)
        #expect(answers == (true, false))
    }

    @Test("Effects of a request do not retain the response")
    func releasedAnswer() async throws {
        struct Subscribe: Request {
            static let casePath = CasePath(embed: { (subscribe: Subscribe) in subscribe }) { $0 }
            let isReleased = Signal()
            func reduce(into state: inout Int) -> Token {
                Token { [isReleased] in isReleased.fire() }
            }
        }
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Subscribe> { state, subscribe in
                .merge(.answer(subscribe.reduce(into: &state)), .run { _ in await untilCancelled() })
            }
        )
        let subscribe = Subscribe()
        _ = try await store.ask(subscribe)
        await subscribe.isReleased.wait()
        #expect(store.statistics.runningEffects == 1)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("An optional response can be nil")
    func optionalAnswer() async throws {
        let store = Stockroom.store(available: 0)
        #expect(try await store.ask(Stockroom.Find(line: "a")) == nil)
        try await store.dispatch(.note("a"))
        #expect(try await store.ask(Stockroom.Find(line: "a")) == "a")
    }

    @Test("A request without a response is reduced, and throws")
    func unanswered() async throws {
        let store = Stockroom.store(available: 0)
        await #expect(throws: StoreError.unanswered) { try await store.ask(Stockroom.Count()) }
        #expect(store.snapshot.log == ["count"])
    }

    @Test("Interceptors, observers of actions and parents process a request like any other action")
    func isAnAction() async throws {
        let seen = Collector<Stockroom.Action>()
        let store = Stockroom.store(
            available: 1,
            interceptors: [
                Interceptor("spy") { action, _, next in
                    seen.append(action)
                    try next(action)
                }
            ]
        )
        let actions = store.actions
        #expect(try await store.ask(Take()))
        #expect(seen.elements.compactMap(Take.casePath.extract) == [Take()])
        #expect(try await actions.first(1).compactMap { Take.casePath.extract(from: $0.action) } == [Take()])
        #expect(store.snapshot.log == ["take 1"])
    }

    @Test("A request stopped by an interceptor is not reduced, and throws the refusal")
    func isRejected() async throws {
        let store = Stockroom.store(
            available: 1,
            interceptors: [Interceptor("guard") { _, _, _ in throw StoreError.rejected(by: "guard") }]
        )
        await #expect(throws: StoreError.rejected(by: "guard")) { try await store.ask(Take()) }
        #expect(store.snapshot.available == 1 && store.revision == 0)
    }

    @Test("A request that an interceptor turns into two actions returns the response of the first")
    func isSplit() async throws {
        let store = Stockroom.store(
            available: 1,
            interceptors: [
                Interceptor("twice") { action, _, next in
                    try next(action)
                    try next(action)
                }
            ]
        )
        #expect(try await store.ask(Take()))
        #expect(store.snapshot.log == ["take 1", "take 1"])
    }

    @Test("A request passes asynchronous interceptors")
    func asyncInterceptors() async throws {
        let store = Stockroom.store(available: 1)
        let use = store.use(AsyncInterceptor("slow") { action, _ in action })
        #expect(try await store.ask(Take()))
        use.remove()
    }

    @Test("A request after a shutdown throws")
    func afterShutdown() async throws {
        let store = Stockroom.store(available: 1)
        await store.shutdown(drain: .finishEffects)
        await #expect(throws: StoreError.shutDown) { try await store.ask(Take()) }
    }

    @Test("A request without room throws, and is not reduced")
    func noRoom() async throws {
        let store = Stockroom.store(
            available: 1,
            configuration: StoreConfiguration(mailbox: .bounded(1, whenFull: .reject))
        )
        let hold = await store.holdUp()
        store.send(.note("waits"))
        await #expect(throws: StoreError.overloaded) { try await store.ask(Take()) }
        hold.release()
        await until { store.revision == 2 }
        #expect(store.snapshot.available == 1)
    }

    @Test("The response to a request that is only sent is dropped")
    func isSent() async throws {
        let store = Stockroom.store(available: 3)
        store.send(.take(Take(quantity: 2)))
        store.send(contentsOf: [.take(Take()), .take(Take())])
        try await store.dispatch(.take(Take()))
        #expect(store.snapshot.available == 0)
        #expect(store.statistics.runningEffects == 0)
    }

    /// The places of a response in an effect.
    static let places: [@Sendable (Effect<Int>) -> Effect<Int>] = [
        { $0 },
        { .merge($0, .run { _ in }) },
        { .merge(.run { _ in }, $0) },
        { .concatenate(.run { _ in }, $0) },
        { $0.cancellable(id: "work") },
        { .merge(.run { _ in }, $0).debounce(id: "work", for: .milliseconds(1)) },
        { $0.delay(for: .seconds(3_600)) },
        { $0.detached() },
        { $0.map { $0 + 1 } },
        { .merge(.answer(false), .answer("another type")).merged(with: $0) },
    ]

    struct Ask: Request {
        static let casePath = CasePath<Int, Ask>(embed: { _ in 0 }, extract: { _ in Ask() })
        func reduce(into state: inout Int) -> Bool { false }
    }

    @Test("A response is returned in the turn, from any place in an effect", arguments: places.indices)
    func inAnyEffect(place: Int) async throws {
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in Self.places[place](.answer(false)) }
        )
        #expect(try await store.ask(Ask()) == false)
        await store.shutdown(drain: .cancelEffects)
    }

    @Test("A response in an effect of a replicated store equals that of a plain store", arguments: places.indices)
    func firstAnswerOfAnEffect(place: Int) async throws {
        for other in Self.places {
            let (first, second) = (Self.places[place](.answer(true)), other(.answer(false)))
            for effect in [Effect.merge(first, second), .concatenate(second, first)] {
                let store = Store(initialState: 0, reducer: Reduce<Int, Int> { _, _ in effect })
                #expect(try await store.ask(Ask()) == effect.firstAnswer as? Bool)
                await store.shutdown(drain: .cancelEffects)
            }
        }
    }

    @Test("The first of several responses counts, and one of another type does not")
    func firstAnswer() async throws {
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in .merge(.answer("another type"), .answer(true)) }
        )
        await #expect(throws: StoreError.unanswered) { try await store.ask(Ask()) }
    }

    @Test("Effects of a request continue after the response, and do not delay it")
    func effectsRunOn() async throws {
        let goOn = Signal()
        let store = Store(
            initialState: 0,
            reducer: Reduce<Int, Int> { _, _ in .merge(.answer(true), .run { _ in await goOn.wait() }) }
        )
        #expect(try await store.ask(Ask()))
        #expect(store.statistics.runningEffects == 1)
        goOn.fire()
        await store.shutdown(drain: .finishEffects)
    }
}

@Suite("Requests in trees", .timeLimit(.minutes(10)))
struct RequestTreeTests {
    struct Site: Equatable, Sendable {
        var depot = Stockroom.State(available: 2)
        var spare: Stockroom.State?
        var requests = 0
    }

    enum SiteAction: Sendable {
        case depot(Stockroom.Action)
        case spare(Stockroom.Action)
    }

    static let depot = CasePath(embed: SiteAction.depot) { if case .depot(let action) = $0 { action } else { nil } }
    static let spare = CasePath(embed: SiteAction.spare) { if case .spare(let action) = $0 { action } else { nil } }

    static func store() -> Store<Site, SiteAction> {
        Store(
            initialState: Site(spare: Stockroom.State(available: 1)),
            reducer: Combine {
                Scope(state: \Site.depot, action: depot) { Stockroom() }
                Reduce<Site, SiteAction> { state, _ in state.requests += 1 }
            }
            .ifLet(\.spare, action: spare) { Stockroom() }
        )
    }

    @Test("A request to a scope is answered by the reducer of the part")
    func scope() async throws {
        let store = Self.store()
        let scope = store.scope(state: \.depot, action: SiteAction.depot)
        #expect(try await scope.ask(Stockroom.Take(quantity: 2)))
        #expect(try await !scope.ask(Stockroom.Take()))
        #expect(store.snapshot.depot.available == 0 && store.snapshot.requests == 2)
    }

    @Test("A request to an optional part is answered by its reducer, and has no response while the part is nil")
    func optional() async throws {
        let store = Self.store()
        let scopes = store.scopeIfLet(state: \.spare, action: SiteAction.spare)
        let spare = try #require(scopes.store)
        #expect(try await spare.ask(Stockroom.Take()))
        #expect(try await !spare.ask(Stockroom.Take()))
    }

    @Test("A request to a child is answered by its own reducer before those of its parents")
    func child() async throws {
        let root = Stockroom.store(available: 0)
        let child = root.child(initialState: Stockroom.State(available: 1), reducer: Stockroom())
        let grandchild = child.child(initialState: Stockroom.State(available: 1), reducer: Stockroom())
        #expect(try await grandchild.ask(Stockroom.Take()))
        #expect(try await !grandchild.ask(Stockroom.Take()))
        #expect(root.snapshot.log.count == 2)
    }

    @Test("A request to a child without a response is answered by its parent")
    func parentAnswers() async throws {
        let root = Stockroom.store(available: 1)
        let child = root.child(initialState: 0, reducer: EmptyReducer())
        #expect(try await child.ask(Stockroom.Take()))
        #expect(try await !child.ask(Stockroom.Take()))
    }

    @Test("A request to an ended child throws")
    func endedChild() async throws {
        let root = Stockroom.store(available: 1)
        let child = root.child(initialState: 0, reducer: EmptyReducer())
        await child.shutdown(drain: .cancelEffects)
        await #expect(throws: StoreError.shutDown) { try await child.ask(Stockroom.Take()) }
        #expect(root.snapshot.available == 1)
    }
}
