import ActorStoreSimulation
import Testing

@testable import TreeCollections

@Suite("Tree dictionary entries of any size and alignment", .timeLimit(.minutes(10)))
struct LayoutTests {
    private func check<Key: Hashable, Value: Equatable>(
        _ makeKey: (Int) -> Key,
        _ makeValue: (Int) -> Value
    ) -> String? {
        var model = Model<Key, Value>()
        var versions: [Model<Key, Value>] = []
        var generator = SimulationGenerator(seed: 1)
        for step in 0..<4_000 {
            let key = makeKey(Int.random(in: 0..<400, using: &generator))
            let value = Bool.random(using: &generator) ? makeValue(step) : nil
            model.tree[key] = value
            model.dictionary[key] = value
            if step % 500 == 0 { versions.append(model) }
        }
        let mapped = model.tree.mapValues { [$0] }
        mapped.checkInvariants()
        return (versions + [model]).lazy.compactMap { $0.flaw() }.first
    }

    private struct Nothing: Equatable {}

    @Test("Entries smaller than a reference are stored")
    func small() {
        #expect(check({ UInt8(truncatingIfNeeded: $0) }, { _ in Nothing() }) == nil)
        #expect(check({ UInt8(truncatingIfNeeded: $0) }, { UInt8(truncatingIfNeeded: $0) }) == nil)
        #expect(check({ UInt16($0) }, { UInt8(truncatingIfNeeded: $0) }) == nil)
        #expect(check({ HashedKey<TopBitsHash>($0) }, { _ in Nothing() }) == nil)
    }

    @Test("Entries whose size is not a multiple of a reference's are stored")
    func odd() {
        #expect(check({ $0 }, { UInt8(truncatingIfNeeded: $0) }) == nil)
        #expect(check({ UInt16($0) }, { (UInt32($0), UInt8(1)).0 }) == nil)
        #expect(check({ String($0) }, { $0 % 2 == 0 ? "\($0)" : nil }) == nil)
    }

    @Test("Entries with a larger alignment than a reference are stored")
    func aligned() {
        #expect(check({ $0 }, { SIMD4<Float>(repeating: Float($0)) }) == nil)
        #expect(check({ UInt8(truncatingIfNeeded: $0) }, { SIMD8<Double>(repeating: Double($0)) }) == nil)
        #expect(check({ SIMD16<Int>(repeating: $0) }, { UInt8(truncatingIfNeeded: $0) }) == nil)
    }
}
