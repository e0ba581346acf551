import ActorStore
import Synchronization
import Testing

@testable import TestFixtures

/// The listings of the article "Concurrency".
@Suite("The article about concurrency", .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    struct Audit: Reducer {
        struct State: Equatable, Sendable {
            var entries: Set<String> = []
        }

        enum Action: Sendable {
            case added(String)
            case closed(Int)
        }

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .added(let name): state.entries.insert(name)
            case .closed(let id): state.entries.insert("\(id)")
            }
            return .none
        }
    }

    final class Router: Sendable {
        private let known = Mutex<Set<String>>([])
        private let store: Store<Audit.State, Audit.Action>

        init(store: Store<Audit.State, Audit.Action>) {
            self.store = store
        }

        func route(_ path: String) {
            let isNew = known.withLock { $0.insert(path).inserted }
            // After the lock: a closure observer of the store may take it.
            if isNew { store.send(.added(path)) }
        }
    }

    final class Session: Sendable {
        private let id: Int
        private let audit: WeakStore<Audit.State, Audit.Action>

        init(id: Int, audit: WeakStore<Audit.State, Audit.Action>) {
            self.id = id
            self.audit = audit
        }

        deinit { audit.send(.closed(id)) }
    }

    struct Catalogue: Equatable, Sendable {
        var prices: [String: Double] = [:]
    }

    /// Prices as they change, until it is closed.
    final class Feed: Sendable {
        let prices: AsyncThrowingStream<Double, any Error>
        private let continuation: AsyncThrowingStream<Double, any Error>.Continuation
        private let isOpen = Mutex(true)

        init() {
            (prices, continuation) = AsyncThrowingStream.makeStream()
        }

        var isClosed: Bool { isOpen.withLock { !$0 } }

        func publish(_ price: Double) { continuation.yield(price) }

        func close() {
            isOpen.withLock { $0 = false }
            continuation.finish()
        }
    }

    struct Basket: Reducer {
        struct State: Equatable, Sendable {
            var total = 0.0
            var request: String?
        }

        enum Action: Sendable {
            case add(String, price: Double?)
            case load
            case loaded(String?)
            case follow
            case changed(Double)
        }

        let audit: WeakStore<Audit.State, Audit.Action>
        var feed = Feed()

        func reduce(into state: inout State, action: Action) -> Effect<Action> {
            switch action {
            case .add(let product, let price):
                state.total += price ?? 0
                return .fireAndForget { [audit] in audit.send(.added(product)) }
            case .load:
                return .run { send in send(.loaded(RequestID.current)) }
            case .loaded(let request):
                state.request = request
                return .none
            case .follow:
                return .run(id: "feed", policy: .cancelInFlight) { [feed] send in
                    try await withTaskCancellationHandler {
                        for try await price in feed.prices { send(.changed(price)) }
                    } onCancel: {
                        // Takes the feed's lock, which a sender may hold.
                        feed.close()
                    }
                }
            case .changed(let price):
                state.total = price
                return .none
            }
        }
    }

    enum RequestID {
        @TaskLocal static var current: String?
    }

    actor Screen {
        private(set) var levels: [Double] = []
        func show(_ level: Double) { levels.append(level) }
    }

    @Test("An observer can take a lock that the sender released before sending")
    func locks() {
        let store = Store(initialState: Audit.State(), reducer: Audit())
        let router = Router(store: store)
        let token = store.observe(\.entries.count) { count in router.route("/\(min(count, 2))") }
        router.route("/")
        token.cancel()
        #expect(store.snapshot.entries == ["/", "/0", "/1", "/2"])
    }

    @Test("A deinitialiser reports by sending, in the reducer and after the turn")
    func deinitialisers() async {
        let audit = Store(initialState: Audit.State(), reducer: Audit())
        let holder = Store(initialState: nil) { (state: inout Session?, new: Session?) in state = new }
        holder.send(Session(id: 1, audit: audit.weak))
        holder.send(nil)
        #expect(await audit.state.entries == ["1"])
    }

    @Test("Input from another store comes with the action, and a report to another store goes through an effect")
    func otherStores() async throws {
        let audit = Store(initialState: Audit.State(), reducer: Audit())
        let catalogue = Store(initialState: Catalogue(prices: ["tea": 3])) { (state: inout Catalogue, new: Catalogue) in
            state = new
        }
        let basket = Store(initialState: Basket.State(), reducer: Basket(audit: audit.weak))
        let product = "tea"
        let price = catalogue.snapshot.prices[product]
        try await basket.dispatch(.add(product, price: price))
        await basket.shutdown(drain: .finishEffects)
        #expect(basket.snapshot.total == 3)
        #expect(await audit.state.entries == ["tea"])
    }

    @Test("A slow observer iterates a sequence in its own task")
    func sequences() async throws {
        struct Gauge: Equatable { var level = 0.0 }
        let store = Store(initialState: Gauge()) { (state: inout Gauge, level: Double) in state.level = level }
        let screen = Screen()
        let levels = store.values(of: \.level)
        let display = Task {
            for await level in levels { await screen.show(level) }
        }
        try await store.dispatch(2)
        await store.shutdown(drain: .finishEffects)
        await display.value
        #expect(await screen.levels.last == 2)
    }

    @Test("Effects of a dispatched action have the task-locals of the dispatching task")
    func taskLocals() async throws {
        let audit = Store(initialState: Audit.State(), reducer: Audit())
        let store = Store(initialState: Basket.State(), reducer: Basket(audit: audit.weak))
        try await RequestID.$current.withValue("7f3a") {
            // The reducer reads an undefined value. The effects of the action read "7f3a".
            try await store.dispatch(.load).finish()
        }
        #expect(await store.state.request == "7f3a")
        store.send(.load)
        await until { store.snapshot.request == nil }
    }

    @Test("An effect's cancellation handler may take any lock, and runs at the cancellation")
    func cancellationHandlers() async throws {
        let audit = Store(initialState: Audit.State(), reducer: Audit())
        let feed = Feed()
        let store = Store(initialState: Basket.State(), reducer: Basket(audit: audit.weak, feed: feed))
        try await store.dispatch(.follow)
        feed.publish(5)
        await until { store.snapshot.total == 5 }
        await store.shutdown(drain: .cancelEffects)
        #expect(feed.isClosed)
    }
}
