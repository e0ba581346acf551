import ActorStoreSimulation
import Testing

@testable import ActorStore

@Suite("Ascending numbers", .timeLimit(.minutes(10)))
struct AscendingNumbersTests {
    @Test("Ascending numbers are the inserted numbers without the removed ones, in order, for any order of operations")
    func model() {
        var generator = SimulationGenerator(seed: 7)
        for _ in 0..<200 {
            var (numbers, model, next) = (AscendingNumbers(), Set<UInt64>(), UInt64(1))
            for _ in 0..<200 {
                switch UInt64.random(in: 0..<6, using: &generator) {
                case 0...1:
                    next += .random(in: 1...3, using: &generator)
                    numbers.insert(next)
                    model.insert(next)
                case 2:
                    let number = UInt64.random(in: 0...next, using: &generator)
                    numbers.insert(number)
                    model.insert(number)
                case 3:
                    if let first = model.min() {
                        let wasThere = numbers.remove(first)
                        #expect(wasThere)
                        model.remove(first)
                    }
                case 4:
                    let number = UInt64.random(in: 0...next, using: &generator)
                    let wasThere = numbers.remove(number)
                    #expect(wasThere == (model.remove(number) != nil))
                default:
                    let (low, high) = (
                        UInt64.random(in: 0...next, using: &generator), UInt64.random(in: 0...next, using: &generator)
                    )
                    let range = min(low, high)...max(low, high)
                    let outside = numbers.outside(range)
                    #expect(outside.below + outside.above == ArraySlice(model.filter { !range.contains($0) }.sorted()))
                }
                #expect(Array(numbers.all) == model.sorted() && numbers.isEmpty == model.isEmpty)
            }
        }
    }
}
