import ActorStoreSimulation
import ActorStoreTesting
import Testing

@testable import ActorStore
@testable import TestFixtures

/// The remains of a child that goes while its effects run.
@Suite("Children that end during their effects", .timeLimit(.minutes(10)))
struct ChildEffectEndTests {
    enum Action: Sendable {
        case start(Int)
        case nothing
    }

    /// Effects with parts that run until they are cancelled, and parts that have not begun.
    static let effects: [Effect<Action>] = [
        .concatenate(hanging, .run { _ in }),
        .concatenate(hanging, .send(.nothing), .run { _ in }).cancellable(id: "group"),
        .merge(.run { _ in }, .concatenate(.run { _ in }, hanging, .run { _ in })).cancellable(id: "group"),
        .concatenate(hanging, .merge(.run { _ in }, .run { _ in }).cancellable(id: "later")),
    ]

    static let hanging = Effect<Action>.run { _ in try await Task.sleep(for: .seconds(100_000)) }

    /// The ways in which a child goes.
    enum Departure: CaseIterable { case release, shutdown, endOfTree }

    @Test(
        "A tree releases an ended child after its running effects have ended, and can be shut down",
        arguments: effects.indices
    )
    func release(index: Int) async throws { try await leave(by: .release, amid: [Self.effects[index]], yields: 0) }

    @Test(
        "A tree releases an ended child with random effects of all shapes, ended at any moment",
        arguments: UInt64(1)...600
    )
    func releaseAtRandom(seed: UInt64) async throws {
        var random = SimulationGenerator(seed: seed)
        let effects = (0...random.number(below: 3)).map { _ in Self.effect(&random, depth: 4) }
        let departure = random.element(of: Departure.allCases)
        try await leave(by: departure, amid: effects, yields: random.number(below: 12))
    }

    private func leave(by departure: Departure, amid effects: [Effect<Action>], yields: Int) async throws {
        let root = Store<Int, Action>(initialState: 0) { _, _ in }
        var child: Store<ParentAndChild<Int, Int>, Action>? = root.child(
            initialState: 0,
            reducer: Reduce { _, action in if case .start(let index) = action { effects[index] } else { .none } }
        )
        var tasks: [StoreTask?] = []
        for index in effects.indices { tasks.append(try await child?.dispatch(.start(index))) }
        await letOtherTasksRun(yields: yields)
        switch departure {
        case .release: child = nil
        case .shutdown: await child?.shutdown(drain: .cancelEffects)
        case .endOfTree: await root.shutdown(drain: .cancelEffects)
        }
        for task in tasks { try? await task?.finish() }
        await until { root.statistics.runningEffects == 0 }
        await root.settle()
        #expect(await root.root.perform { root.root.children.isEmpty })
        await root.shutdown(drain: .finishEffects)
    }

    private static func effect(_ random: inout SimulationGenerator, depth: Int) -> Effect<Action> {
        func part(_ random: inout SimulationGenerator) -> Effect<Action> { effect(&random, depth: depth - 1) }
        let id = random.number(below: 3)
        return switch random.number(below: depth > 0 ? 8 : 3) {
        case 0: hanging
        case 1: .run(id: id) { send in send(.nothing) }
        case 2: .send(.nothing)
        case 3: .merge(part(&random), part(&random), part(&random))
        case 4, 5: .concatenate(part(&random), part(&random), part(&random))
        case 6: part(&random).debounce(id: id, for: .seconds(1), clock: ImmediateClock())
        default: part(&random).cancellable(id: id, policy: random.element(of: policies))
        }
    }

    private static let policies: [EffectPolicy] = [
        .concurrent, .cancelInFlight, .ignoreIfRunning, .newest(1), .oldest(1, overflow: .drop), .serial,
    ]
}
