import ActorStore
import ActorStoreComposition
import Testing
import TreeCollections

@testable import TestFixtures

@Suite("Children replaced by code around their reducer", .timeLimit(.minutes(10)))
struct ReplacedChildrenTests {
    /// Has children of all kinds, each of which is composed here.
    struct Tab: Reducer {
        struct State: Equatable, Sendable {
            var path = StackState<Meter.State>([Meter.State()])
            var sheet = Presented<Meter.State>(wrappedValue: Meter.State())
            var tenant: NumberedMeter.State? = NumberedMeter.State(id: 1)
            var rows: TreeDictionary<Int, Meter.State> = [1: Meter.State()]

            /// The records of the children's effects.
            var total: Int {
                path.map(\.reading).reduce(0, +) + (sheet.wrappedValue?.reading ?? 0) + (tenant?.reading ?? 0)
                    + rows.map(\.value.reading).reduce(0, +)
            }

            /// The records with other children, as far as they can be distinguished.
            static var another: State {
                State(tenant: NumberedMeter.State(id: 2), rows: [2: Meter.State()])
            }
        }

        enum Action: Sendable {
            case path(StackAction<Meter.State, Meter.Action>)
            case sheet(PresentationAction<Meter.Action>)
            case tenant(Meter.Action)
            case row(id: Int, action: Meter.Action)
        }

        /// The child of an effect.
        enum Child: CaseIterable, Sendable {
            case page, sheet, tenant, row

            func action(_ action: Meter.Action) -> Action {
                switch self {
                case .page: .path(.element(id: StackElementID(number: 0), action: action))
                case .sheet: .sheet(.presented(action))
                case .tenant: .tenant(action)
                case .row: .row(id: 1, action: action)
                }
            }
        }

        var effects = ChildEffects.endWithChild

        var body: some Reducer<State, Action> {
            EmptyReducer<State, Action>()
                .forEach(\.path, action: CasePath(Action.path), whenMissing: .ignore, effects: effects) { Meter() }
                .ifPresented(\.sheet, action: CasePath(Action.sheet), whenMissing: .ignore, effects: effects) {
                    Meter()
                }
                .ifLet(\.tenant, action: CasePath(Action.tenant), whenMissing: .ignore, effects: effects) {
                    NumberedMeter()
                }
                .forEach(\.rows, action: CasePath(Action.row), whenMissing: .ignore, effects: effects) { Meter() }
        }
    }

    /// Has the tab in a part of its state, and replaces it, in one of several ways.
    struct App: Reducer {
        struct State: Equatable, Sendable {
            var tab = Tab.State()
            var user = 1
        }

        enum Action: Sendable {
            case tab(Tab.Action)
            case logout
            case change(@Sendable (inout State) -> Void)
        }

        /// The place of the code that replaces the tab.
        enum Place: CaseIterable, Sendable { case parent, sibling, onChange, attached }

        var place = Place.parent
        var effects = ChildEffects.endWithChild

        static let tab = CasePath(embed: Action.tab) { if case .tab(let action) = $0 { action } else { nil } }

        static func logOut(_ state: inout State, _ action: Action) {
            if case .logout = action { state.tab = .another }
        }

        var body: some Reducer<State, Action> {
            let base = Combined(place: place, effects: effects)
            if place == .onChange {
                base.onChange(of: \.user) { _, _ in
                    Reduce<State, Action> { state, _ in state.tab = .another }
                }
            } else {
                base
            }
        }

        struct Combined: Reducer {
            let place: Place
            let effects: ChildEffects

            var body: some Reducer<State, Action> {
                if place == .sibling { Reduce<State, Action> { state, action in App.logOut(&state, action) } }
                Scope(state: \.tab, action: App.tab) { Tab(effects: effects) }
                Reduce<State, Action> { state, action in
                    if place == .parent { App.logOut(&state, action) }
                    if case .logout = action { state.user += 1 }
                    if case .change(let change) = action { change(&state) }
                }
            }
        }
    }

    private func makeStore(_ app: App = App()) -> Store<App.State, App.Action> {
        let store = Store(initialState: App.State(), reducer: app)
        if app.place == .attached {
            let reducer = Reduce<App.State, App.Action> { state, action in App.logOut(&state, action) }
            store.attach(reducer: reducer, forKey: "logout")
        }
        return store
    }

    @Test(
        "An effect of a child never acts on its successor, wherever the replacing code is",
        arguments: App.Place.allCases
    )
    func replaced(place: App.Place) async throws {
        for child in Tab.Child.allCases {
            let store = makeStore(App(place: place))
            let (first, second) = (HeldEffect(), HeldEffect())
            for held in [first, second] {
                try await store.dispatch(.tab(child.action(.start(held.effect()))))
                await held.waitUntilBegun()
            }
            try await store.dispatch(.logout)
            await first.finish()
            _ = await store.state
            #expect(store.snapshot.tab == .another, "\(child)")
            // The others are cancelled when one of them is detected, and may have sent by now.
            #expect([1, 2].contains(store.statistics.lateActions), "\(child)")
            await second.finish()
            #expect(second.wasCancelled.elements == [true], "\(child)")
            await store.shutdown(drain: .finishEffects)
            #expect(store.statistics.lateActions == 2 && store.snapshot.tab == .another, "\(child)")
            #expect(try await store.errors.all().isEmpty)
        }
    }

    @Test(
        "A waiting action is dropped if its child is replaced before its turn",
        arguments: Tab.Child.allCases
    )
    func waitingActions(child: Tab.Child) async throws {
        let store = makeStore()
        store.send(contentsOf: [.tab(child.action(.start(.send(.record(1))))), .logout])
        _ = await store.state
        #expect(store.snapshot.tab == .another && store.statistics.lateActions == 1)
    }

    @Test("An effect that waits for room gets an error when its child is gone", arguments: Tab.Child.allCases)
    func awaitedActions(child: Tab.Child) async throws {
        let store = makeStore()
        let (begun, goOn) = (Signal(), Signal())
        let errors = Collector<StoreError>()
        let effect = Effect<Meter.Action>.run { send in
            begun.fire()
            await goOn.wait()
            do throws(StoreError) { try await send.waitingForRoom(.record(1)) } catch { errors.append(error) }
        }
        let task = try await store.dispatch(.tab(child.action(.start(effect))))
        await begun.wait()
        try await store.dispatch(.logout)
        goOn.fire()
        try await task.finish()
        #expect(errors.elements == [.cancelled])
        #expect(store.snapshot.tab == .another && store.statistics.lateActions == 1)
    }

    @Test(
        "Effects of a present child continue, whatever is replaced around it",
        arguments: Tab.Child.allCases
    )
    func unharmed(child: Tab.Child) async throws {
        let store = makeStore()
        let held = HeldEffect()
        try await store.dispatch(.tab(child.action(.start(.merge(held.effect(), .send(.record(1)))))))
        await held.waitUntilBegun()
        // Copies of a child are that child.
        try await store.dispatch(
            .change { state in
                let tab = state.tab
                state.tab = .another
                state = App.State(tab: tab, user: 2)
            }
        )
        await held.finish()
        await store.shutdown(drain: .finishEffects)
        #expect(held.wasCancelled.elements == [false] && store.statistics.lateActions == 0)
        #expect(store.snapshot.tab.total == 1_001)
    }

    @Test(
        "Effects that outlive their child, and detached ones, send to the child in its place",
        arguments: [false, true]
    )
    func outliving(isDetached: Bool) async throws {
        for child in [Tab.Child.page, .sheet, .tenant] {
            let store = makeStore(App(effects: isDetached ? .endWithChild : .outliveChild))
            let held = HeldEffect()
            let effect = isDetached ? held.effect().detached() : held.effect()
            try await store.dispatch(.tab(child.action(.start(effect))))
            await held.waitUntilBegun()
            try await store.dispatch(.logout)
            await held.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(held.wasCancelled.elements == [false] && store.statistics.lateActions == 0, "\(child)")
            #expect(store.snapshot.tab.total == 1_000, "\(child)")
        }
    }

    @Test(
        "A continuing operation does not dismiss a child that surrounding code presented in its child's place",
        arguments: [false, true]
    )
    func dismissals(isDetached: Bool) async throws {
        for child in [Tab.Child.page, .sheet] {
            let store = makeStore(App(effects: isDetached ? .endWithChild : .outliveChild))
            let (begun, goOn) = (Signal(), Signal())
            let effect = Effect<Meter.Action>.run { send in
                begun.fire()
                await goOn.wait()
                send.dismiss()
            }
            let task = try await store.dispatch(.tab(child.action(.start(isDetached ? effect.detached() : effect))))
            await begun.wait()
            try await store.dispatch(.logout)
            goOn.fire()
            try await task.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.tab == .another && store.statistics.lateActions == 1, "\(child)")
        }
    }

    @Test("Effects end with replaced children in a child store's own state and in a part with an attached reducer")
    func otherStates() async throws {
        struct Root: Sendable { var app = App.State() }
        let root = Store(initialState: Root()) { (_: inout Root, _: App.Action) in }
        root.attach(reducer: App(), state: \.app, forKey: 1)
        root.scope(\.app).attach(reducer: EmptyReducer<App.State, App.Action>(), forKey: 2)
        let child = root.child(initialState: App.State(), reducer: App()) { _ in nil }
        for kind in Tab.Child.allCases {
            let (own, attached) = (HeldEffect(), HeldEffect())
            try await child.dispatch(.tab(kind.action(.start(own.effect()))))
            try await root.dispatch(.tab(kind.action(.start(attached.effect()))))
            await own.waitUntilBegun()
            await attached.waitUntilBegun()
            let lateActions = root.statistics.lateActions
            try await child.dispatch(.logout)
            try await root.dispatch(.logout)
            await own.finish()
            await attached.finish()
            _ = await root.state
            #expect(root.statistics.lateActions == lateActions + 2, "\(kind)")
            #expect(child.snapshot.local.tab == .another && root.snapshot.app.tab == .another, "\(kind)")
            let reset = App.Action.change { $0 = App.State() }
            try await child.dispatch(reset)
            try await root.dispatch(reset)
        }
    }

    @Test("An effect whose child is replaced by the requesting action is dropped")
    func replacedAtOnce() async throws {
        for child in Tab.Child.allCases {
            let reducer = Reduce<App.State, App.Action> { state, action in
                if case .tab = action, state.user == 1 { state.tab = .another }
            }
            let store = makeStore()
            store.attach(reducer: reducer, forKey: "logout")
            let task = try await store.dispatch(
                .tab(child.action(.start(.merge(.run { $0(.record(1)) }, .send(.record(1))))))
            )
            try await task.finish()
            await store.shutdown(drain: .finishEffects)
            #expect(store.snapshot.tab == .another, "\(child)")
            #expect(store.statistics.lateActions >= 1, "\(child)")
        }
    }

    @Test("Effects of children composed by user code, which cannot be found in the state, continue")
    func composedByHand() async throws {
        struct Tree: Equatable, Sendable {
            var left = App.State()
            var right: [Tree] = []
        }
        struct Forest: Reducer {
            enum Action: Sendable { case app(App.Action) }
            let reducer = App().prepared()
            func reduce(into state: inout Tree, action: Action) -> Effect<Action> {
                guard case .app(let action) = action else { return .none }
                return reducer.reduce(into: &state.left, action: action).map(Action.app)
            }
        }
        let store = Store(initialState: Tree(), reducer: Forest())
        for child in Tab.Child.allCases {
            let effect = Effect<Meter.Action>.merge(.run { $0(.record(1)) }, .send(.record(1)))
            try await store.dispatch(.app(.tab(child.action(.start(effect))))).finish()
        }
        #expect(await store.state.left.tab.total == 8)
        #expect(store.statistics.lateActions == 0)
    }

    @Test("An unnoticed successor's cancellation by identity also cancels its predecessor's operations")
    func sharedIdentities() async throws {
        for child in [Tab.Child.sheet, .tenant] {
            let store = makeStore()
            let cancelled = Collector<String>()
            func start(_ name: String) async throws {
                let begun = Signal()
                let effect = Effect<Meter.Action>.run(id: "work") { _ in
                    begun.fire()
                    await untilCancelled()
                    cancelled.append(name)
                }
                try await store.dispatch(.tab(child.action(.start(effect))))
                await begun.wait()
            }
            try await start("predecessor")
            try await store.dispatch(.logout)
            try await start("successor")
            #expect(store.statistics.runningEffects == 2, "\(child)")
            try await store.dispatch(.tab(child.action(.start(.cancel(id: "work")))))
            await until { cancelled.elements.count == 2 }
        }
    }
}
