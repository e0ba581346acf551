import ActorStore
import Testing

@testable import TestFixtures

@Suite("Children", .timeLimit(.minutes(10)))
struct ChildTests {
    struct Root: Equatable, Sendable {
        var log: [String] = []
        var count = 0
    }

    enum RootAction: Sendable, Equatable {
        case add(Int)
        case feature(FeatureAction)
    }

    enum FeatureAction: Sendable, Equatable {
        case open
        case close
        case secret
    }

    struct Feature: Equatable, Sendable {
        var isOpen = false
        var changes = 0
    }

    private func makeRoot() -> Store<Root, RootAction> {
        Store(initialState: Root()) { (state: inout Root, action: RootAction) in
            switch action {
            case .add(let number): state.count += number
            case .feature(let action): state.log.append("\(action)")
            }
        }
    }

    private func makeFeature(_ root: Store<Root, RootAction>) -> Store<ParentAndChild<Root, Feature>, FeatureAction> {
        let reducer = Reduce<Feature, FeatureAction> { state, action in
            state.changes += 1
            state.isOpen = action == .open
            return .none
        }
        return root.child(initialState: Feature(), reducer: reducer) { action in
            action == .secret ? nil : .feature(action)
        }
    }

    @Test("A child shows its parent's state joined with its own")
    func joined() async throws {
        let root = makeRoot()
        let feature = makeFeature(root)
        #expect(feature.snapshot == ParentAndChild(parent: Root(), local: Feature()))
        try await root.dispatch(.add(2))
        #expect(feature.snapshot.parent.count == 2)
        #expect(await feature.state == ParentAndChild(parent: root.snapshot, local: Feature()))
        #expect(await feature.read(\.parent.count) == 2)
        #expect(feature.name == "child")
    }

    @Test("An action goes up, child first, mapped on the way, in one turn with one revision")
    func upwards() async throws {
        let root = makeRoot()
        let feature = makeFeature(root)
        try await feature.dispatch(.open)
        #expect(feature.snapshot.local == Feature(isOpen: true, changes: 1))
        #expect(root.snapshot.log == ["open"])
        #expect(root.revision == 1)
        #expect(feature.revision == 1)
        #expect(feature.send(.close) == .accepted)
        #expect(feature.send(contentsOf: [.open, .close]) == .accepted)
        #expect(root.snapshot.log == ["open", "close", "open", "close"])
        #expect(feature.snapshot.local.changes == 4)
        #expect(root.revision == 4)
    }

    @Test("An action mapped to nil goes no further up, and is still counted")
    func stopped() async throws {
        let root = makeRoot()
        let feature = makeFeature(root)
        try await feature.dispatch(.secret)
        #expect(feature.snapshot.local.changes == 1)
        #expect(root.snapshot.log.isEmpty)
        #expect(root.revision == 1)
    }

    @Test("stopPropagation makes a child the last to reduce an action")
    func stopPropagation() async throws {
        let root = Store(initialState: 0) { (sum: inout Int, step: Int) in sum += step }
        let adding = Reduce<Int, Int> { sum, step in
            sum += step
            return .none
        }
        let child = root.child(initialState: 0, reducer: adding, stopPropagation: { $0 < 0 })
        try await child.dispatch(5)
        try await child.dispatch(-2)
        #expect(child.snapshot == ParentAndChild(parent: 5, local: 3))
    }

    @Test("Actions dispatched to a parent or a sibling do not reach a child")
    func isolated() async throws {
        let root = makeRoot()
        let (first, second) = (makeFeature(root), makeFeature(root))
        try await root.dispatch(.feature(.open))
        try await second.dispatch(.open)
        #expect(first.snapshot.local == Feature())
        #expect(second.snapshot.local.isOpen)
        #expect(root.snapshot.log == ["open", "open"])
    }

    @Test("Trees can have any depth, and every level reduces, the lowest first")
    func depth() async throws {
        let order = Collector<Int>()
        let root = Store(initialState: 0) { (state: inout Int, step: Int) in
            order.append(0)
            state += step
        }
        let first = root.child(
            initialState: 0,
            reducer: Reduce { state, step in
                order.append(1)
                state += step * 10
            }
        )
        let second = first.child(
            initialState: 0,
            reducer: Reduce { state, step in
                order.append(2)
                state += step * 100
            }
        )
        try await second.dispatch(1)
        #expect(order.elements == [2, 1, 0])
        #expect(second.snapshot == ParentAndChild(parent: ParentAndChild(parent: 1, local: 10), local: 100))
        try await first.dispatch(1)
        #expect(second.snapshot == ParentAndChild(parent: ParentAndChild(parent: 2, local: 20), local: 100))
    }

    @Test("A child can show a custom combination of the states")
    func combination() async throws {
        let root = makeRoot()
        let reducer = Reduce<Int, Int> { state, step in
            state += step
            return .none
        }
        let child = root.child(initialState: 1, reducer: reducer) { .add($0) }
            .scope { "\($0.parent.count) and \($0.local)" }
        let values = child.values(of: \.self, buffering: .unbounded)
        try await child.dispatch(5)
        try await root.dispatch(.add(1))
        #expect(child.snapshot == "6 and 6")
        #expect(try await values.first(3) == ["0 and 1", "5 and 6", "6 and 6"])
    }

    @Test("Each affected store notifies once for an action, and no reader sees a partly propagated state")
    func oneNotification() async throws {
        let root = makeRoot()
        let feature = makeFeature(root)
        let seen = Collector<String>()
        let tokens = [
            root.observe(\.log.count) { [weak feature] count in
                seen.append("root \(count) \(feature?.snapshot.local.changes ?? -1)")
            },
            feature.observe(\.local.changes) { [weak root] changes in
                seen.append("feature \(changes) \(root?.snapshot.log.count ?? -1)")
            },
            feature.observe(\.self) { joined in
                seen.append("joined \(joined.local.changes) \(joined.parent.log.count)")
            },
        ]
        try await feature.dispatch(.open)
        #expect(Set(seen.elements.prefix(3)) == ["root 0 0", "feature 0 0", "joined 0 0"])
        #expect(Set(seen.elements.dropFirst(3)) == ["root 1 1", "feature 1 1", "joined 1 1"])
        #expect(seen.elements.count == 6)
        withExtendedLifetime(tokens) {}
    }

    @Test("An action rejected by an interceptor of the root is reduced nowhere in the tree, and dispatch throws")
    func rejection() async throws {
        let guarding = Interceptor<Root, RootAction>("guard") { action, _, next in
            if action != .feature(.open) { try next(action) }
        }
        let root = Store(
            initialState: Root(),
            reducer: Reduce<Root, RootAction> { _, _ in .none },
            interceptors: [guarding]
        )
        let feature = makeFeature(root)
        await #expect(throws: StoreError.rejected(by: "guard")) { try await feature.dispatch(.open) }
        #expect(feature.snapshot.local == Feature())
        try await feature.dispatch(.close)
        #expect(feature.snapshot.local.changes == 1)
    }

    @Test("A child's actions can be observed, with its visible state after each")
    func actions() async throws {
        let root = makeRoot()
        let feature = makeFeature(root)
        let actions = feature.actions
        let rootActions = root.actions
        feature.send(.open)
        root.send(.add(3))
        feature.send(contentsOf: [.secret, .close])
        await root.shutdown(drain: .finishEffects)
        let seen = try await actions.all()
        #expect(seen.map(\.action) == [.open, .secret, .close])
        #expect(seen.map(\.state.local.changes) == [1, 2, 3])
        #expect(seen.map(\.state.parent.count) == [0, 3, 3])
        #expect(try await rootActions.all().map(\.action) == [.feature(.open), .add(3), .feature(.close)])
    }
}
