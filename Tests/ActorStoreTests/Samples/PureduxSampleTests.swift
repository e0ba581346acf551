import ActorStore
import ActorStoreCommands
import Testing

@testable import TestFixtures

/// The samples of Puredux's article about trees of stores, in their order. `SampleLengthTests` counts what is marked.
@Suite("Samples: Puredux", .timeLimit(.minutes(10)))
struct PureduxSampleTests {
    enum Node { case app, featureOne, featureTwo, screenOne, screenTwo }
    enum Action: Equatable { case run(Node), ran(Node) }

    /// What the article leaves to the states: each of them defines what an action means to it.
    protocol Working {
        static var node: Node { get }
        var effectState: EffectState<EffectFailure> { get set }
        var seen: [Action] { get set }
    }

    struct AppState: Working {
        static let node = Node.app
        var effectState = EffectState<EffectFailure>()
        var seen: [Action] = []
    }

    struct FeatureOne: Working {
        static let node = Node.featureOne
        var effectState = EffectState<EffectFailure>()
        var seen: [Action] = []
    }

    struct FeatureTwo: Working {
        static let node = Node.featureTwo
        var effectState = EffectState<EffectFailure>()
        var seen: [Action] = []
    }

    struct ScreenOne: Working {
        static let node = Node.screenOne
        var effectState = EffectState<EffectFailure>()
        var seen: [Action] = []
    }

    struct ScreenTwo: Working {
        static let node = Node.screenTwo
        var effectState = EffectState<EffectFailure>()
        var seen: [Action] = []
    }

    @Test("The tree: actions go up to the root, and each store's effect runs when its own state requests it")
    func tree() async throws {
        // sample: Puredux, Root Store
        let root = Store<AppState, Action>(initialState: AppState()) { $0.reduce($1) }
            .withEffects {
                $0.effect(on: \.effectState) { appState, context in
                    context.send(.ran(.app))
                }
            }
        // end

        // sample: Puredux, Feature One
        let featureOne = root.child(initialState: FeatureOne(), reducer: Reduce { $0.reduce($1) })
            .withEffects {
                $0.effect(on: \.local.effectState) { state, context in
                    context.send(.ran(.featureOne))
                }
            }
        // end

        // sample: Puredux, Feature Two
        let featureTwo = root.child(initialState: FeatureTwo(), reducer: Reduce { $0.reduce($1) })
            .withEffects {
                $0.effect(on: \.local.effectState) { state, context in
                    context.send(.ran(.featureTwo))
                }
            }

        let screenOne = featureTwo.child(initialState: ScreenOne(), reducer: Reduce { $0.reduce($1) })
            .withEffects {
                $0.effect(on: \.local.effectState) { state, context in
                    context.send(.ran(.screenOne))
                }
            }

        let screenTwo = featureTwo.child(initialState: ScreenTwo(), reducer: Reduce { $0.reduce($1) })
        // end

        // The article's diagram has a user interface at three stores. Each hears of what is its own, and of all above
        // it.
        let ends = Collector<Node>()
        let userInterface = [
            featureOne.observe(\.local.effectState.status) { if $0 == .succeeded { ends.append(.featureOne) } },
            screenOne.observe(\.local.effectState.status) { if $0 == .succeeded { ends.append(.screenOne) } },
            screenTwo.observe(\.parent.parent.effectState.status) { if $0 == .succeeded { ends.append(.app) } },
        ]

        try await root.dispatch(.run(.app), tracksFeedback: true).finish()
        try await featureOne.dispatch(.run(.featureOne), tracksFeedback: true).finish()
        try await featureTwo.dispatch(.run(.featureTwo), tracksFeedback: true).finish()
        try await screenOne.dispatch(.run(.screenOne), tracksFeedback: true).finish()
        try await screenTwo.dispatch(.run(.screenTwo))

        let nodes = [Node.app, .featureOne, .featureTwo, .screenOne]
        #expect(root.snapshot.seen == nodes.flatMap { [.run($0), .ran($0)] } + [.run(.screenTwo)])
        #expect(featureOne.snapshot.local.seen == [.run(.featureOne), .ran(.featureOne)])
        #expect(
            featureTwo.snapshot.local.seen
                == [.run(.featureTwo), .ran(.featureTwo), .run(.screenOne), .ran(.screenOne), .run(.screenTwo)]
        )
        #expect(screenOne.snapshot.local.seen == [.run(.screenOne), .ran(.screenOne)])
        #expect(screenTwo.snapshot.local.seen == [.run(.screenTwo)])
        #expect(screenTwo.snapshot.local.effectState.status != .succeeded)
        #expect(ends.elements == [.app, .featureOne, .screenOne])
        withExtendedLifetime(userInterface) {}
    }
}

extension PureduxSampleTests.Working {
    mutating func reduce(_ action: PureduxSampleTests.Action) {
        seen.append(action)
        switch action {
        case .run(Self.node): effectState.run()
        case .ran(Self.node): effectState.succeed()
        default: break
        }
    }
}
