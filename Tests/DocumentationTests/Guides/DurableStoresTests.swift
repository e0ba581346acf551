#if SQLite && Postgres && Redis

    import ActorStore
    import ActorStoreFoundation
    import ActorStorePersistence
    import ActorStorePostgres
    import ActorStoreRedis
    import ActorStoreSQLite
    import Foundation
    import Testing

    // The listings of the articles about durable and replicated stores. The functions without a test are compiled only:
    // they have the paths and servers of the articles.

    @Suite("The articles about durable stores", .timeLimit(.minutes(10)))
    struct DurableStoresTests {
        private struct Supplier: Sendable {
            static let live = Supplier()
        }

        private struct Stock: Reducer {
            struct State: Codable, Equatable, Sendable {
                var available = 20
                var unshipped: [String: Order] = [:]
                var ends: [Int: WallClock.Instant] = [:]
            }

            struct Order: Codable, Equatable, Sendable { let id: String }

            enum Action: Codable, Equatable, Sendable {
                case started
                case order(Int, customer: String = "")
                case cancel(Int)
                case ordered(Order)
                case shipped(String)
                case opened(Int, WallClock.Instant)
                case closed(Int, WallClock.Instant)

                init(_ old: OldAction, customer: String) { self = .order(old.order, customer: customer) }
            }

            let supplier: Supplier

            func reduce(into state: inout State, action: Action) -> Effect<Action> {
                switch action {
                case .started: break
                case .order(let quantity, _): state.available -= quantity
                case .cancel(let quantity): state.available += quantity
                // In the reducer
                case .ordered(let order): state.unshipped[order.id] = order
                case .shipped(let id): state.unshipped[id] = nil
                // In the reducer
                case .opened(let lot, let end): state.ends[lot] = end
                case .closed(let lot, let end): if state.ends[lot] == end { state.ends[lot] = nil }
                }
                return .none
            }
        }

        private struct OldAction: Codable { let order: Int }

        private struct Request { let id: String }

        private struct Warehouse: Sendable {
            func ship(_ order: Stock.Order, requestID: String) async throws {}
        }

        private func show(_ level: Int) {}

        private func embedded() async throws {
            let stock = try await Store.durable(
                in: SQLiteLog(at: "/var/lib/shop/stock"),
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            stock.send(.started)  // The reducer starts its polls and timers again.
            try await stock.dispatch(.order(3))  // In the log when this returns.
            let levels = stock.store.values(of: \.available)
            let display = Task { for await level in levels { show(level) } }
            await stock.shutdown(drain: .finishEffects)
            await display.value  // The sequence has ended with the store.
        }

        private func modulePage() async throws {
            let stock = try await Store.durable(
                in: SQLiteLog(at: "/var/lib/shop/stock"),
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            try await stock.dispatch(.order(3))  // In the log when this returns.
        }

        private func modulePageOfSQLite() async throws {
            let log = try SQLiteLog(at: "/var/lib/shop/stock")
            let stock = try await Store.durable(in: log, initialState: Stock.State(), reducer: Stock(supplier: .live))
            try await log.backup(to: "/backup/stock")
            withExtendedLifetime(stock) {}
        }

        private func modulePageOfPostgres() async throws {
            let server = PostgresServer(
                "host=db1,db2 dbname=shop",
                acknowledgement: .standby
            )
            let log = PostgresLog(server, stream: "stock")
            let stock = try await Store.replicated(
                through: log,
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            withExtendedLifetime(stock) {}
        }

        private func modulePageOfRedis() async throws {
            let log = RedisLog(RedisServer(.host("cache1", port: 6_379)), stream: "stock")
            let stock = try await Store.replicated(
                through: log,
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            withExtendedLifetime(stock) {}
        }

        private func replicated(_ server: PostgresServer) async throws {
            let stock = try await Store.replicated(
                through: PostgresLog(server, stream: "stock"),
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            try await stock.dispatch(.order(3))  // In the log for all, and reduced here.
            let levels = stock.store.values(of: \.available)
            let display = Task { for await level in levels { show(level) } }
            await stock.shutdown(drain: .finishEffects, within: .seconds(25))
            await display.value  // The sequence has ended with the store.
        }

        private struct StockService: Service {
            let stock: DurableStore<Stock.State, Stock.Action>

            func run() async throws {
                // This child task is cancelled and awaited when the method returns.
                async let _: Void = endGracefully()
                // Waits until the store is shut down, the log fails, or this task is cancelled.
                for await case .ended in stock.phase.values(of: \.self) { break }
                let report = await stock.shutdown(drain: .cancelEffects, within: .seconds(25))
                if let failure = report.failure { throw failure }
            }

            private func endGracefully() async throws {
                // Throws if the task is cancelled.
                try await gracefulShutdown()
                await stock.shutdown(drain: .finishEffects, within: .seconds(25))
            }
        }

        private func operated() -> PostgresServer {
            let server = PostgresServer(
                "host=db1,db2 dbname=shop user=stock sslmode=verify-full",
                acknowledgement: .standby
            )
            return server
        }

        private func watched(
            _ stock: DurableStore<Stock.State, Stock.Action>,
            log: @escaping @Sendable (String) -> Void
        ) {
            let phases = stock.phase.values(of: \.self)
            let watch = Task {
                for await case .ended(let error) in phases where error.code != .closed {
                    log("The stock is no longer saved. \(error)")
                }
            }
            withExtendedLifetime(watch) {}
        }

        private func identified(_ stock: DurableStore<Stock.State, Stock.Action>, _ request: Request) async throws {
            try await stock.dispatch(.order(3), id: request.id)
            try await stock.dispatch(.cancel(3), expecting: stock.revision)
        }

        private func copied(
            _ stock: DurableStore<Stock.State, Stock.Action>,
            _ log: SQLiteLog,
            to server: PostgresServer
        ) async throws {
            try await log.backup(to: "/backup/stock-2026-11-28")  // A file of SQLite, of one moment.
            try await stock.export(to: "/backup/stock.jsonl")  // Of any engine, as lines of JSON.
            try await ActionLogArchive.restore(from: "/backup/stock.jsonl", to: PostgresLog(server, stream: "stock"))
        }

        private func open(_ log: MemoryLog) async throws -> DurableStore<Stock.State, Stock.Action> {
            try await Store.durable(in: log, initialState: Stock.State(), reducer: Stock(supplier: .live))
        }

        /// Runs the service of a store until its graceful shutdown is requested.
        private func serve(
            _ stock: DurableStore<Stock.State, Stock.Action>
        ) -> (service: Task<Void, any Error>, request: AsyncStream<Void>.Continuation) {
            let (stream, request) = AsyncStream.makeStream(of: Void.self)
            let service = ServiceGroup.$request.withValue(stream) {
                Task { try await StockService(stock: stock).run() }
            }
            return (service, request)
        }

        @Test(
            "The service of a durable store ends at a graceful shutdown, and when it is cancelled",
            arguments: [true, false]
        )
        func end(isGraceful: Bool) async throws {
            let log = MemoryLog()
            let stock = try await open(log)
            let (service, request) = serve(stock)
            try await stock.dispatch(.order(3))
            if isGraceful { request.yield() } else { service.cancel() }
            try await service.value
            await #expect(throws: (any Error).self) { try await stock.dispatch(.order(1)) }
            // The log is free for the next process.
            let next = try await open(log)
            #expect(next.snapshot.available == 17)
            await next.shutdown(drain: .finishEffects)
        }

        @Test("The service of a durable store ends when the log fails, and throws the reason")
        func failure() async throws {
            let log = MemoryLog()
            let stock = try await open(log)
            let (service, request) = serve(stock)
            try await stock.dispatch(.order(3))
            try await stock.dispatch(.order(3))
            log.loseEnd(after: 1)
            await #expect(throws: ActionLogError.self) { try await stock.dispatch(.order(1)) }
            let error = await #expect(throws: ActionLogError.self) { try await service.value }
            #expect(error?.code == .lostEntries)
            request.finish()
        }

        @Test("Entries of the state are effects that must happen, and reminders")
        func effects() async throws {
            let warehouse = Warehouse()
            let stock = try await Store.durable(
                in: MemoryLog(),
                initialState: Stock.State(),
                reducer: Stock(supplier: .live)
            )
            let auctions = stock

            // After the start
            stock.runEffects(for: \.unshipped) { id, order in
                try await warehouse.ship(order, requestID: id)
                return .shipped(id)
            }

            // After the start
            auctions.sendReminders(for: \.ends, clock: WallClock()) { lot, end in .closed(lot, end) }

            try await stock.dispatch(.ordered(Stock.Order(id: "A7")))
            try await stock.dispatch(.opened(3, WallClock().now))
            for await state in stock.store.values(of: \.self) where state.unshipped.isEmpty && state.ends.isEmpty {
                break
            }
            await stock.shutdown(drain: .finishEffects)
        }

        @Test("A migration decodes the actions of an earlier version")
        func migration() throws {
            var durability = DurabilityConfiguration()
            durability.schema = StateSchema(version: 2) { version, data in
                // In version 1 an order had no customer.
                let old = try JSONDecoder().decode(OldAction.self, from: data)
                return try JSONEncoder().encode(Stock.Action(old, customer: "unknown"))
            }
            #expect(durability.schema.version == 2)
        }
    }

#endif
