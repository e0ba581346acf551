import ActorStore
import ActorStoreSimulation
import Foundation
import Testing
import TreeCollections

@testable import TestFixtures

/// Random actions, subscriptions, cancellations and reads, beside a reference that compares every observer's part after
/// every action.
@Suite("Observation against a model", .timeLimit(.minutes(10)))
struct ObservationModelTests {
    struct State: Equatable, Sendable {
        var a = 0
        var b = "0"
        var c = [0]
        var d: Int?
        var tree: TreeDictionary<Int, Int> = [:]
        var nested = Nested()
        var computed: Int { a + nested.y }

        struct Nested: Equatable, Sendable {
            var x = false
            var y = 0
        }

        mutating func apply(_ number: Int) {
            let value = number / 16 % 3
            switch number % 10 {
            case 0: a = value
            case 1: b = "\(value) and a text that is too long for a small string"
            case 2: c[0] = value
            case 3: c.append(value)
            case 4: d = value == 0 ? nil : value
            case 5: tree[number / 64 % 8] = value
            case 6: tree[number / 64 % 8] = nil
            case 7: nested.x.toggle()
            case 8: nested.y = value
            default: c = [value]
            }
        }
    }

    /// A subject of observation: for the store, and for the model as text.
    private struct Part: Sendable {
        let observe: @Sendable (Store<State, Int>, Collector<String>) -> StoreObservation
        let read: @Sendable (State) -> String

        init<Value: Equatable & Sendable>(_ keyPath: KeyPath<State, Value> & Sendable) {
            observe = { store, log in store.observe(keyPath) { log.append("\($0)") } }
            read = { "\($0[keyPath: keyPath])" }
        }

        init(key: Int) {
            observe = { store, log in store.observe(.entry(of: \.tree, key: key)) { log.append("\($0 as Int?)") } }
            read = { "\($0.tree[key] as Int?)" }
        }

        init(_ selector: StateSelector<State, Int>, read: @escaping @Sendable (State) -> Int) {
            observe = { store, log in store.observe(.selector(selector)) { log.append("\($0)") } }
            self.read = { "\(read($0))" }
        }
    }

    private static let parts: [Part] =
        [
            Part(\.a), Part(\.b), Part(\.c), Part(\.d), Part(\.nested), Part(\.nested.x), Part(\.nested.y),
            Part(\.computed),
            Part(\.c.count), Part(\.c[0]),
            Part(StateSelector(\State.a, \.nested.y) { a, y in a * 10 + y }) { $0.a * 10 + $0.nested.y },
        ] + (0..<8).map { Part(key: $0) }

    /// An observer, its received values, and the model's expected values.
    private struct Watched {
        let part: Part
        var token: StoreObservation?
        let log = Collector<String>()
        var expected: [String]
    }

    /// The number of steps of each seed; `MODEL_STEPS=100000` takes five times as long.
    private static let steps = ProcessInfo.processInfo.environment["MODEL_STEPS"].flatMap(Int.init) ?? 20_000

    @Test("Observers receive the values of a model in the same order", arguments: 1...10)
    func steps(seed: UInt64) async {
        var random = SimulationGenerator(seed: seed)
        var model = State()
        let store = Store(initialState: State()) { (state: inout State, number: Int) in state.apply(number) }
        var watched: [Watched] = []
        for step in 0..<Self.steps {
            // Other tests need time as well.
            if step.isMultiple(of: 64) { await Task.yield() }
            let number = Int(random.next() >> 8)
            switch number % 64 {
            case 0:
                let part = Self.parts[number / 64 % Self.parts.count]
                var new = Watched(part: part, expected: [part.read(model)])
                new.token = part.observe(store, new.log)
                watched.append(new)
            case 1 where watched.count > 12:
                let gone = watched.remove(at: number / 64 % watched.count)
                gone.token?.cancel()
                #expect(gone.log.elements == gone.expected)
            case 2:
                #expect(store.snapshot == model)
            case 3:
                let actions = (0..<3).map { number / 64 + $0 * 7 }
                for action in actions { model.apply(action) }
                store.send(contentsOf: actions)
                note(model, in: &watched)
            default:
                model.apply(number / 64)
                store.send(number / 64)
                note(model, in: &watched)
            }
        }
        for observer in watched { #expect(observer.log.elements == observer.expected) }
        #expect(store.snapshot == model)
    }

    private func note(_ model: State, in watched: inout [Watched]) {
        for index in watched.indices {
            let value = watched[index].part.read(model)
            if watched[index].expected.last != value { watched[index].expected.append(value) }
        }
    }
}
