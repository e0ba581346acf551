import ActorStore
import ActorStoreComposition
import Testing

@Suite("Children and scopes that retain their root", .timeLimit(.minutes(10)))
struct KeptRootTests {
    struct App: Reducer {
        struct State: Equatable, Sendable {
            var total = 0
            var detail: Int?
        }

        func reduce(into state: inout State, action: Int) -> Effect<Int> {
            state.total += action
            state.detail? += action
            return .none
        }
    }

    func makeApp() -> Store<App.State, Int> { Store(initialState: App.State(detail: 0), reducer: App()) }

    func makeScreen(keepsRoot: Bool) -> Store<ParentAndChild<App.State, Int>, Int> {
        let app = makeApp()
        let screen = app.child(initialState: 0, reducer: Reduce { (local: inout Int, action: Int) in local += action })
        return keepsRoot ? screen.keeping(app) : screen
    }

    @Test("A child returned by a function refuses actions, unless it retains its root")
    func child() async throws {
        #expect(makeScreen(keepsRoot: false).send(1) == .refused(.shutDown))
        let screen = makeScreen(keepsRoot: true)
        try await screen.dispatch(2)
        #expect(screen.snapshot == ParentAndChild(parent: App.State(total: 2, detail: 2), local: 2))
        let weak = screen.weak
        try await weak.dispatch(1)
        #expect(screen.snapshot.local == 3)
    }

    @Test("A grandchild retains the root through its parent, and so do a scope and a child's scope")
    func others() async throws {
        func grandchild() -> Store<ParentAndChild<ParentAndChild<App.State, Int>, Int>, Int> {
            makeScreen(keepsRoot: true).child(
                initialState: 0,
                reducer: Reduce { (local: inout Int, action: Int) in local -= action }
            )
        }
        let leaf = grandchild()
        try await leaf.dispatch(3)
        #expect(leaf.snapshot.local == -3)
        #expect(leaf.snapshot.parent.parent.total == 3)

        func scope() -> Store<Int, Int> {
            let app = makeApp()
            return app.scope(\.total).keeping(app)
        }
        let total = scope()
        try await total.dispatch(4)
        #expect(total.snapshot == 4)

        let local = makeScreen(keepsRoot: true).scope(\.local)
        try await local.dispatch(5)
        #expect(local.snapshot == 5)
    }

    @Test("A weak store and an optional scope of a child last as long as a retaining store of it")
    func handles() async throws {
        struct Local: Equatable, Sendable { var part: Int? }
        let app = makeApp()
        var screen: Store<ParentAndChild<App.State, Local>, Int>? = app.child(
            initialState: Local(),
            reducer: Reduce {
                (local: inout Local, action: Int) in local.part = action
            }
        )
        let (handle, parts) = (
            try #require(screen).weak, try #require(screen).scopeIfLet(state: \.local.part, action: { $0 }).stores
        )
        var kept = screen?.keeping(app)
        screen = nil
        #expect(handle.isAlive && handle.send(3) == .accepted)
        #expect(kept?.snapshot.local.part == 3)
        var shown = parts.makeAsyncIterator()
        #expect(await shown.next()??.snapshot == 3)
        let second = kept?.keeping(app)
        kept = nil
        #expect(handle.isAlive && second?.weak.isAlive == true)
    }

    @Test("An optional scope finds a child in use only by a scope of a retaining store")
    func scopesOfKept() async throws {
        struct Local: Equatable, Sendable { var part: Int? }
        let app = makeApp()
        var screen: Store<ParentAndChild<App.State, Local>, Int>? = app.child(
            initialState: Local(),
            reducer: Reduce {
                (local: inout Local, action: Int) in local.part = action
            }
        )
        let parts = try #require(screen).scopeIfLet(state: \.local.part, action: { $0 }).stores
        var kept = screen?.keeping(app)
        let scope = kept?.scope(\.local)
        (screen, kept) = (nil, nil)
        #expect(scope?.send(3) == .accepted)
        var shown = parts.makeAsyncIterator()
        #expect(await shown.next()??.snapshot == 3)
    }

    @Test("The root is released with its last retaining store, and observations end then")
    func release() async throws {
        var screen: Store<ParentAndChild<App.State, Int>, Int>? = makeScreen(keepsRoot: true)
        var copy = screen?.scope(\.parent)
        let totals = try #require(screen).values(of: \.parent.total)
        screen = nil
        #expect(copy?.send(1) == .accepted)
        copy = nil
        var seen: [Int] = []
        for await total in totals { seen.append(total) }
        #expect(seen.last == 1)
    }
}
