#if SQLite
    import ActorStore
    @testable import ActorStorePersistence
    import ActorStoreSQLite
    import Testing

    @Suite("Shutdowns of durable stores", .timeLimit(.minutes(10)))
    struct DurableShutdownTests {
        /// Counts, and begins an operation that ignores its cancellation.
        struct Stubborn: Reducer {
            enum Action: Codable, Sendable {
                case count
                case begin
            }

            let end: AsyncStream<Void>

            func reduce(into count: inout Int, action: Action) -> Effect<Action> {
                switch action {
                case .count:
                    count += 1
                    return .none
                case .begin:
                    return .run { [end] send in
                        await Task.detached { for await _ in end {} }.value
                        send(.count)
                    }
                }
            }
        }

        @Test(
            "A durable store shut down with a deadline ends, is on disk, and releases its file, whatever its effects do"
        )
        func ignoredCancellation() async throws {
            let workplace = try Workplace()
            let (end, goOn) = AsyncStream.makeStream(of: Void.self)
            func open() async throws -> DurableStore<Int, Stubborn.Action> {
                try await Store.durable(
                    in: SQLiteLog(at: workplace.log),
                    initialState: 0,
                    reducer: Stubborn(end: end),
                    // The file may be closed a moment after the shutdown's deadline.
                    durability: DurabilityConfiguration(openingTimeout: .seconds(60))
                )
            }
            let store = try await open()
            // Otherwise the issue reporter would get it.
            let errors = store.store.errors
            let work = try await store.dispatch(.begin)
            for _ in 0..<100 { store.send(.count) }
            // On a busy machine, the tenth of the time that is reserved for the log could be too short for them.
            try await store.commit()
            let report = await store.shutdown(drain: .finishEffects, within: .seconds(1))
            #expect(report.effects.unfinishedEffects.count == 1)
            for await failure in errors { #expect(failure.error is EffectStillRunning) }
            let again = try await open()
            #expect(again.snapshot == 100 && again.revision == 101)
            goOn.finish()
            try await work.finish()
            #expect(store.snapshot == 100)
            #expect(await again.shutdown(drain: .finishEffects, within: .seconds(60)).isComplete)
        }

        @Test("The statistics have the revision and the age of the newest snapshot on disk")
        func snapshotRevision() async throws {
            let workplace = try Workplace()
            let store = try await Store.durable(
                in: SQLiteLog(at: workplace.log),
                initialState: 0,
                reducer: Stubborn(end: AsyncStream { $0.finish() }),
                durability: DurabilityConfiguration(snapshots: SnapshotInterval(actions: 10))
            )
            #expect(store.statistics.snapshotRevision == nil)
            #expect(store.statistics.snapshotAge == nil)
            for _ in 0..<10 { try await store.dispatch(.count) }
            while store.statistics.snapshotRevision == nil { try await Task.sleep(for: .milliseconds(1)) }
            #expect(store.statistics.snapshotRevision == 10)
            #expect(store.statistics.snapshotAge != nil)
            await store.shutdown(drain: .cancelEffects)
        }
    }
#endif
