#if SQLite
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import Testing

    @Suite("Requests to durable stores", .timeLimit(.minutes(10)))
    struct DurableRequestTests {
        struct Turnstile: Reducer {
            struct State: Codable, Equatable, Sendable {
                var inside = 0
                var served = 0
            }

            enum Action: Codable, Sendable {
                case enter(Enter)
                case serve
                /// Begins an effect that fails.
                case alarm
                case open(Open)
            }

            /// Is reduced, without a response.
            struct Open: Request, Codable {
                static let casePath = CasePath(embed: Action.open) {
                    if case .open(let open) = $0 { open } else { nil }
                }

                func reduce(into state: inout State) -> Int { state.served }
            }

            /// Admits a visitor, and returns the number; nil if it is full.
            struct Enter: Request, Codable {
                static let casePath = CasePath(embed: Action.enter) {
                    if case .enter(let enter) = $0 { enter } else { nil }
                }
                var limit = 3

                func reduce(into state: inout State) -> Int? {
                    guard state.inside < limit else { return nil }
                    state.inside += 1
                    return state.inside
                }
            }

            func reduce(into state: inout State, action: Action) -> Effect<Action> {
                switch action {
                case .enter(let enter):
                    return .merge(.answer(enter.reduce(into: &state)), .send(.serve))
                case .serve:
                    state.served += 1
                    return .none
                case .alarm:
                    state.served += 1
                    return .run { _ in throw StoreError.notReady }
                case .open:
                    state.served += 1
                    return .none
                }
            }
        }

        let workplace: Workplace

        init() throws { workplace = try Workplace() }

        private func open(copy: String? = nil) async throws -> DurableStore<Turnstile.State, Turnstile.Action> {
            let path = try copy.map { try workplace.copyLog(to: $0) } ?? workplace.log
            return try await Store.durable(
                in: SQLiteLog(at: path),
                initialState: Turnstile.State(),
                reducer: Turnstile()
            )
        }

        @Test(
            "Changes other than actions are refused by a durable store and its children, because a replay would miss them"
        )
        func isolation() async throws {
            let store = try await open()
            let child = store.store.child(initialState: 0, reducer: EmptyReducer())
            await #expect(throws: StoreError.notReplayable) {
                try await store.store.withIsolation("reset") { $0.inside = 0 }
            }
            await #expect(throws: StoreError.notReplayable) { try await child.withIsolation("reset") { _ in } }
            #expect(store.snapshot == Turnstile.State())
            await store.shutdown(drain: .finishEffects)
        }

        @Test("A response is returned when the request is in the log, and a replay makes the same decision")
        func answers() async throws {
            let store = try await open()
            for number in 1...3 {
                #expect(try await store.ask(Turnstile.Enter()) == number)
                let copy = try await open(copy: "copy-\(number)")
                #expect(copy.snapshot.inside == number)
                await copy.shutdown(drain: .cancelEffects)
            }
            #expect(try await store.ask(Turnstile.Enter()) == nil)
            await store.shutdown(drain: .finishEffects)
            let again = try await open()
            #expect(again.snapshot.inside == 3)
            #expect(try await again.ask(Turnstile.Enter()) == nil)
            #expect(try await again.ask(Turnstile.Enter(limit: 4)) == 4)
            await again.shutdown(drain: .cancelEffects)
        }

        @Test("A request after the end of the store throws")
        func ended() async throws {
            let store = try await open()
            await store.shutdown(drain: .cancelEffects)
            await #expect(throws: (any Error).self) { try await store.ask(Turnstile.Enter()) }
        }

        @Test("An effect's error, and the missing response of a request, are thrown when the action is on disk")
        func thrownErrors() async throws {
            let store = try await open()
            let errors = store.store.errors
            let observing = Task { await errors.reduce(0) { count, _ in count + 1 } }
            for number in 1...50 {
                await #expect(throws: StoreError.notReady) { try await store.perform(.alarm) }
                #expect(store.statistics.committedRevision == UInt64(2 * number - 1))
                await #expect(throws: StoreError.unanswered) { try await store.ask(Turnstile.Open()) }
                #expect(store.statistics.committedRevision == UInt64(2 * number))
            }
            await store.shutdown(drain: .cancelEffects)
            #expect(await observing.value == 50)
        }

        @Test("perform returns after the actions of its effects are reduced, and the action is on disk")
        func performing() async throws {
            let store = try await open()
            try await store.perform(.enter(Turnstile.Enter()))
            #expect(store.snapshot == Turnstile.State(inside: 1, served: 1))
            let copy = try await open(copy: "copy")
            #expect(copy.snapshot.inside == 1)
            await copy.shutdown(drain: .cancelEffects)
            await store.shutdown(drain: .cancelEffects)
        }
    }
#endif
