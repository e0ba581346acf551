import ActorStore
import Testing

@testable import TestFixtures

@Suite("Displaced actions of effects", .timeLimit(.minutes(10)))
struct DisplacedFeedbackTests {
    private enum Action: Sendable { case hold(Hold), start(Signal), count, childCount }

    private struct Feature: Reducer {
        var startsEffects = true

        func reduce(into count: inout Int, action: Action) -> Effect<Action> {
            switch action {
            case .hold(let hold): hold.enter()
            case .start(let goOn) where startsEffects:
                return .run(id: "work") { send in
                    await goOn.wait()
                    for _ in 0..<4 { send(.count) }
                }
            case .count, .childCount: count += 1
            case .start: break
            }
            return .none
        }
    }

    @Test(
        "Each effect's action displaced from a full mailbox is reported to the store's errors, and the effect ends",
        arguments: [false, true]
    )
    func displaced(inChild: Bool) async throws {
        let root = Store(
            initialState: 0,
            reducer: Feature(startsEffects: !inChild),
            configuration: StoreConfiguration(mailbox: .bounded(2, whenFull: .dropOldest))
        )
        let errors = root.errors
        let child = root.child(initialState: 0, reducer: Feature())
        let (goOn, hold) = (Signal(), Hold())
        let task = try await inChild ? child.dispatch(.start(goOn)) : root.dispatch(.start(goOn))
        onThread { root.send(.hold(hold)) }
        await hold.waitUntilEntered()
        goOn.fire()
        await until { root.statistics.droppedActions == 2 }
        for _ in 0..<2 { root.send(.childCount) }
        #expect(root.statistics.droppedActions == 4)
        hold.release()
        try await task.finish()
        await root.shutdown(drain: .finishEffects)
        let reported = try await errors.all()
        #expect(reported.count == 4)
        for failure in reported {
            #expect(failure.error as? StoreError == .overloaded)
            guard case .effect(let id, _) = failure.origin else {
                Issue.record("The origin of \(failure) is not an effect.")
                continue
            }
            #expect(id == EffectID("work"))
        }
        #expect(root.statistics.runningEffects == 0)
    }
}
