import ActorStore
import ActorStoreCommands
import Foundation
import Testing

@testable import TestFixtures

@Suite("Observer rules", .timeLimit(.minutes(10)))
struct ObserverRuleTests {
    typealias Rule = ObserverRule<Ledger.State, Ledger.Action>
    typealias Guardian = Interceptor<Ledger.State, Ledger.Action>

    func store(_ rules: Rule..., after others: [Guardian] = []) -> Store<Ledger.State, Ledger.Action> {
        Ledger.store(interceptors: [.observing(rules)] + others)
    }

    @Test("A start rule sends its action once, before anything else")
    func onStart() async throws {
        let store = store(.onStart { .write("first") }, .onStart { nil })
        let actions = store.actions
        try await store.dispatch(.add(1))
        #expect(store.snapshot == Ledger.State(total: 1, note: "first"))
        #expect(store.revision == 2)
        #expect(try await actions.first(1).map(\.state.note) == ["first"])
    }

    @Test("A rule of a part gets the values before and after, and only if they differ")
    func onChange() async throws {
        let seen = Collector<[Int]>()
        let store = store(
            .onChange(of: \.total) { old, new in
                seen.append([old, new])
                return new == 2 ? .add(10) : nil
            }
        )
        for action in [Ledger.Action.add(1), .write("x"), .add(0), .add(1)] { try await store.dispatch(action) }
        #expect(await store.state.total == 12)
        #expect(seen.elements == [[0, 1], [1, 2], [2, 12]])
    }

    @Test("A rule can observe a computed part, and follows a batch action by action")
    func onChangeInABatch() async throws {
        let seen = Collector<Bool>()
        let store = store(
            .onChange(of: \.isEven) { _, new in
                seen.append(new)
                return nil
            }
        )
        store.send(contentsOf: [.add(1), .add(2), .add(1)])
        #expect(seen.elements == [false, true])
    }

    @Test("A rule of actions gets matching ones, with the state after them, or before and after")
    func onAction() async throws {
        let seen = Collector<String>()
        let isAddition: @Sendable (Ledger.Action) -> Bool = { if case .add = $0 { true } else { false } }
        let store = store(
            .onAction(where: isAddition) { action, state in
                seen.append("\(action) \(state.total)")
                return nil
            },
            .onAction(where: isAddition) { action, old, new in
                seen.append("\(action) \(old.total) \(new.total)")
                return nil
            },
            .onAction(.matching { if case .write(let note) = $0 { note } else { nil } }) { note, state in
                note == state.note ? .add(note.count) : nil
            },
            .onAction(.case(CasePath(Ledger.Action.add))) { amount, _ in amount == 4 ? .enter(7, 7) : nil }
        )
        store.send(.add(1))
        store.send(.write("four"))
        #expect(await store.state.total == 6)
        #expect(store.snapshot.entries.map(\.sender) == [7])
        #expect(seen.elements == ["add(1) 1", "add(1) 0 1", "add(4) 5", "add(4) 1 5"])
    }

    @Test("Actions returned by several rules are sent in the order of the rules, behind pending actions")
    func order() async throws {
        let store = store(
            .onAction { action, _ in if case .add(1) = action { .enter(1, 0) } else { nil } },
            .onChange(of: \.total) { old, _ in old == 0 ? .enter(2, 0) : nil },
            .onAction { action, _, _ in if case .add(1) = action { .enter(3, 0) } else { nil } },
            after: [
                Guardian("echo") { action, context, next in
                    if case .add(1) = action { context.send(.enter(0, 0)) }
                    try next(action)
                }
            ]
        )
        let token = store.observe(\.total) { [weak store] total in
            if total == 1 { store?.send(.enter(4, 0)) }
        }
        try await store.dispatch(.add(1))
        #expect(await store.state.entries.map(\.sender) == [0, 1, 2, 3, 4])
        token.cancel()
    }

    @Test("Actions stopped by an interceptor do not reach rules")
    func stoppedActions() async throws {
        let seen = Collector<String>()
        let store = store(
            .onAction { action, _ in
                seen.append("\(action)")
                return nil
            },
            after: [
                Guardian("guardian") { action, _, next in
                    if case .add = action { return }
                    try next(action)
                }
            ]
        )
        await #expect(throws: StoreError.rejected(by: "guardian")) { try await store.dispatch(.add(1)) }
        try await store.dispatch(.write("x"))
        #expect(seen.elements == [#"write("x")"#])
    }

    @Test("A rule of a sequence sends an action for each element, in order, and skips elements without one")
    func onSequence() async throws {
        let numbers = AsyncStream.makeStream(of: Int.self)
        let store = store(.on(numbers.stream) { $0.isMultiple(of: 2) ? .enter(0, $0) : nil })
        let entries = store.values(of: \.entries.count, buffering: .unbounded)
        for number in 0..<100 { numbers.continuation.yield(number) }
        #expect(try await entries.first(51).last == 50)
        #expect(store.snapshot.entries.map(\.number) == Array(stride(from: 0, to: 100, by: 2)))
    }

    @Test("A rejected or refused action does not end its sequence; an error of the sequence does")
    func sequencesThatFail() async throws {
        struct Broken: Error {}
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        let guardian = Guardian("guardian") { action, _, next in
            if case .add(1) = action { return }
            if case .add(2) = action { throw StoreError.overloaded }
            try next(action)
        }
        let store = store(.on(stream) { .add($0) }, after: [guardian])
        for number in 1...3 { continuation.yield(number) }
        continuation.finish(throwing: Broken())
        let failures = try await store.errors.first(2)
        #expect(failures.map { $0.error is Broken } == [false, true])
        #expect(failures.map(\.origin) == [.interceptor(named: "observing"), .interceptor(named: "observing")])
        #expect(store.snapshot.total == 3)
    }

    @Test(
        "A sequence continues after an action that an interceptor stops with any store error",
        arguments: [StoreError.overloaded, .rejected(by: "another"), .notReady, .cancelled, .shutDown, .awaitsItself]
    )
    func sequencesAfterStoppedActions(error: StoreError) async throws {
        let ended = Collector<Bool>()
        let guardian = Guardian("guardian") { action, _, next in
            if case .add(2) = action { throw error }
            try next(action)
        }
        let numbers = Rule.on(
            AsyncStream<Int> { continuation in
                continuation.onTermination = { _ in ended.append(true) }
                for number in 1...3 { continuation.yield(number) }
            }
        ) { .add($0) }
        let store = store(numbers, after: [guardian])
        await until { store.snapshot.total == 4 || !ended.elements.isEmpty }
        #expect(store.snapshot.total == 4 && ended.elements.isEmpty)
        await store.shutdown(drain: .finishEffects)
        await until { !ended.elements.isEmpty }
        // Only actions without room in the mailbox are reported.
        #expect(
            try await store.errors.all().compactMap { $0.error as? StoreError } == [error].filter { $0 == .overloaded }
        )
    }

    /// Numbers, and a signal at the end of their iteration.
    private struct Watched: AsyncSequence {
        let numbers: AsyncStream<Int>
        let isReleased: Signal

        struct AsyncIterator: AsyncIteratorProtocol {
            var numbers: AsyncStream<Int>.AsyncIterator
            let token: Token

            mutating func next() async -> Int? { await numbers.next() }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(numbers: numbers.makeAsyncIterator(), token: Token { isReleased.fire() })
        }
    }

    @Test(
        "A rule that ends with an element of a sequence leaves the next one to other consumers",
        arguments: [Ledger.Action.add(2), nil]
    )
    func leavesElements(action: Ledger.Action?) async {
        let (numbers, continuation) = AsyncStream.makeStream(of: Int.self)
        let (isReleased, interception) = (Signal(), LockedValue<Interception?>(nil))
        let store = Ledger.store(interceptors: [Guardian("guardian") { _, _, _ in }])
        let rule = Rule.on(Watched(numbers: numbers, isReleased: isReleased)) { number in
            if number == 2 { interception.withLock { $0 }?.remove() }
            return number == 2 ? action : nil
        }
        let use = store.use(.observing(rule))
        interception.withLock { $0 = use }
        for number in 1...3 { continuation.yield(number) }
        await isReleased.wait()
        var others = numbers.makeAsyncIterator()
        #expect(await others.next() == 3)
    }

    @Test("An error of another store, thrown by a sequence, reaches the store's errors")
    func sequencesThatThrowErrorsOfStores() async throws {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
        let store = store(.on(stream) { .add($0) })
        continuation.finish(throwing: StoreError.shutDown)
        #expect(try await store.errors.first(1).first?.error as? StoreError == .shutDown)
    }

    @Test("Each store with a rule iterates over its own sequence")
    func severalStores() async throws {
        struct Ticks: AsyncSequence, Sendable {
            func makeAsyncIterator() -> AsyncStream<Int>.Iterator {
                AsyncStream { continuation in
                    continuation.yield(5)
                    continuation.finish()
                }.makeAsyncIterator()
            }
        }
        let rules = Guardian.observing(.on(Ticks()) { .add($0) })
        for store in [Ledger.store(interceptors: [rules]), Ledger.store(interceptors: [rules])] {
            await until { store.snapshot.total != 0 }
            #expect(await store.state.total == 5)
        }
    }

    @Test("The task of a sequence does not retain the store, and ends with it, or with the removal of the rules")
    func lifetimeOfSequences() async throws {
        let ended = [Signal(), Signal(), Signal()]
        func rules(_ ended: Signal) -> Guardian {
            .observing(
                .on(AsyncStream<Int> { continuation in continuation.onTermination = { _ in ended.fire() } }) {
                    .add($0)
                }
            )
        }
        var released: Store<Ledger.State, Ledger.Action>? = Ledger.store(interceptors: [rules(ended[0])])
        weak let weakStore = released
        _ = await released?.state
        released = nil
        #expect(weakStore == nil)
        await ended[0].wait()

        let shutDown = Ledger.store(interceptors: [rules(ended[1])])
        await shutDown.shutdown(drain: .finishEffects)
        await ended[1].wait()

        let store = Ledger.store()
        store.use(rules(ended[2])).remove()
        await ended[2].wait()
    }

    @Test("A source is connected once, may send at once or from any thread, and is notified of its end")
    func sources() async throws {
        let connections = Collector<Send<Ledger.Action>>()
        let ended = Collector<String>()
        let store = Ledger.store()
        let interception = store.use(
            .observing(
                .source { send in
                    send(.add(1))
                    connections.append(send)
                    return { ended.append("ended") }
                }
            )
        )
        let send = try #require(connections.elements.first)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<100 { send(.add(1)) } } }
        }
        #expect(await store.state.total == 401)
        interception.remove()
        await until { ended.elements == ["ended"] }
        await store.shutdown(drain: .finishEffects)
        #expect(send(.add(1)) == .refused(.shutDown))
        #expect(ended.elements == ["ended"] && connections.elements.count == 1)
    }

    @Test("An action refused by a full mailbox reaches the store's errors")
    func overload() async throws {
        let configuration = StoreConfiguration(mailbox: .bounded(1, whenFull: .reject))
        let rules = Guardian.observing(
            .onAction { action, _ in if case .write = action { .add(1) } else { nil } },
            .onAction { action, _ in if case .write = action { .add(2) } else { nil } }
        )
        let store = Ledger.store(interceptors: [rules], configuration: configuration)
        try await store.dispatch(.write("x"))
        #expect(await store.state.total == 1)
        let failure = try await store.errors.first(1).first
        #expect(failure?.error as? StoreError == .overloaded)
        #expect(failure?.origin == .interceptor(named: "observing"))
    }

    @Test("Rules can be added at run time: their start and their changes count from then")
    func addedLater() async throws {
        let seen = Collector<[Int]>()
        let store = Ledger.store()
        try await store.dispatch(.add(5))
        store.use(
            .observing(
                .onStart { .write("later") },
                .onChange(of: \.total) { old, new in
                    seen.append([old, new])
                    return nil
                }
            )
        )
        try await store.dispatch(.add(1))
        #expect(store.snapshot.note == "later")
        #expect(seen.elements == [[5, 6]])
    }

    @Test("A rule of the states before and after an action retains neither when the action is stopped")
    func nothingOfStoppedActions() async throws {
        struct State: Sendable {
            var token: Token?
        }
        let isReleased = Signal()
        let store = Store(
            initialState: State(token: Token { isReleased.fire() }),
            interceptors: [
                .observing(ObserverRule<State, Bool>.onAction { (_: Bool, _: State, _: State) in nil }),
                Interceptor("guard") { action, _, next in if action { try next(action) } },
            ]
        ) { (state: inout State, _: Bool) in
            state.token = nil
        }
        await #expect(throws: StoreError.rejected(by: "guard")) { try await store.dispatch(false) }
        try await store.withIsolation("release") { $0.token = nil }
        await isReleased.wait()
    }

    @Test("A source of a removed rule gets the removal as error while it waits for room, and not a full mailbox")
    func sourcesThatGo() async throws {
        let store = Ledger.store()
        let sender = LockedValue<Send<Ledger.Action>?>(nil)
        let use = store.use(
            .observing(
                .source { send in
                    sender.withLock { $0 = send }
                    return {}
                }
            )
        )
        _ = await store.state
        let send = try #require(sender.withLock { $0 })
        try await send.waitingForRoom(.add(1))
        use.remove()
        _ = await store.state
        await #expect(throws: StoreError.cancelled) { try await send.waitingForRoom(.add(1)) }
        #expect(await store.state.total == 1)
    }

    /// Blocks a thread until its task is cancelled, as a wrapper of a blocking library may.
    private struct Polling: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let begun: Collector<Void>
        let ends: Collector<Bool>

        func makeAsyncIterator() -> Polling { self }

        func next() async -> Int? {
            begun.append(())
            // So that nothing hangs if it is not cancelled.
            let limit = Date(timeIntervalSinceNow: 60)
            while !Task.isCancelled && Date() < limit { usleep(1_000) }
            ends.append(Task.isCancelled)
            return nil
        }
    }

    @Test(
        "Rules of sequences that block all threads until their cancellation are cancelled",
        arguments: [true, false]
    )
    func busyThreads(isRemoved: Bool) async {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let (begun, ends) = (Collector<Void>(), Collector<Bool>())
        let store = Store(initialState: 0) { (_: inout Int, _: Int) in }
        onThread {
            let rule = ObserverRule<Int, Int>.on(Polling(begun: begun, ends: ends)) { $0 }
            let uses = (0..<count).map { _ in store.use(.observing(rule)) }
            while begun.elements.count < count { usleep(1_000) }
            if isRemoved { uses.forEach { $0.remove() } } else { store.beginShutdown(drain: .cancelEffects) }
        }
        await until { ends.elements.count == count }
        #expect(ends.elements.allSatisfy { $0 })
    }
}
