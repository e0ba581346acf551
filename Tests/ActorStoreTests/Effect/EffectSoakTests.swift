import ActorStoreSimulation
import Foundation
import Synchronization
import Testing

@testable import ActorStore
@testable import TestFixtures

/// A million effects with `EFFECTS_SOAK=1000000`; fewer by default.
@Suite("Random starts, cancellations and ends of effects", .timeLimit(.minutes(20)))
struct EffectSoakTests {
    typealias Action = Ledger.Action

    private static let count = ProcessInfo.processInfo.environment["EFFECTS_SOAK"].flatMap(Int.init) ?? 40_000

    /// An object retained by an effect.
    private final class Held: Sendable {
        static let alive = Atomic<Int>(0)
        init() { Self.alive.add(1, ordering: .relaxed) }
        deinit { Self.alive.subtract(1, ordering: .relaxed) }
    }

    private static func effect(_ number: Int, _ random: inout SimulationGenerator) -> Effect<Action> {
        let held = Held()
        let quick = Effect<Action>.run { send in
            withExtendedLifetime(held) {}
            send(.add(1))
        }
        let slow = Effect<Action>.run { send in
            try await Task.sleep(for: .seconds(3_600))
            withExtendedLifetime(held) {}
            send(.add(1_000_000))
        }
        let id = Int.random(in: 0..<50, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: return quick
        case 3: return quick.cancellable(id: id, policy: .cancelInFlight)
        case 4: return slow.cancellable(id: id, policy: .cancelInFlight)
        case 5: return slow.cancellable(id: id, policy: .newest(2))
        case 6: return quick.cancellable(id: "queue \(id)", policy: .oldest(2, overflow: .suspend))
        case 7: return quick.cancellable(id: id, policy: .oldest(3, overflow: .drop))
        case 8: return slow.debounce(id: id, for: .milliseconds(1))
        case 9: return quick.throttle(id: "throttle \(id)", for: .microseconds(100))
        case 10: return .merge(quick, .concatenate(slow, quick)).cancellable(id: id, policy: .cancelInFlight)
        default: return .concatenate(quick, .cancel(id: id), quick)
        }
    }

    @Test("Random effects leave no task, no entry and no memory behind")
    func soak() async throws {
        let store = Ledger.store()
        await withTaskGroup { group in
            for sender in 0..<8 {
                group.addTask {
                    var random = SimulationGenerator(seed: UInt64(sender) + 1)
                    for number in 0..<Self.count / 8 {
                        let effect = Self.effect(number, &random)
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0:
                            store.send(.start(effect))
                        case 1:
                            try? await store.dispatch(.start(effect)).cancel()
                        case 2:
                            _ = try? await store.dispatch(.start(effect), tracksFeedback: true)
                        default:
                            _ = try? await store.dispatch(.start(effect))
                        }
                    }
                }
            }
        }
        // Queues advance while anything waits in them; sleepers are cancelled while any are left.
        await until {
            await store.cancelAllEffects()
            return store.statistics.runningEffects == 0
        }
        #expect(store.statistics.runningEffects == 0)
        let host = try #require(store.root as? any StoreNode)
        let runtime = try #require(host.effectRuntime)
        await store.root.perform {
            #expect(runtime.machine.registry.count == 0)
            #expect(runtime.machine.registry.numberOfIdentities == 0)
            #expect(runtime.machine.registry.numberOfQueues == 0)
        }
        #expect(await store.state.total < 1_000_000)
        await store.shutdown(drain: .finishEffects)
        // The last tasks release their captures a moment after their end was recorded.
        await until { Held.alive.load(ordering: .relaxed) == 0 }
        #expect(Held.alive.load(ordering: .relaxed) == 0)
    }
}
