import Testing

@testable import ActorStoreSimulation

@Suite("Sets of operations", .timeLimit(.minutes(10)))
struct OperationSetTests {
    @Test("Two sets have equal contents if and only if they have equal members, however they were made")
    func contents() {
        var generator = SimulationGenerator(seed: 1)
        var found: [OperationSet.Contents: Set<Int>] = [:]
        var contents: [Set<Int>: OperationSet.Contents] = [:]
        for _ in 0..<10 {
            var (set, model) = (OperationSet(count: 200), Set<Int>())
            for _ in 0..<100 {
                // Few and many members, in few places, so that sets repeat.
                let run = Int.random(in: 0..<4, using: &generator) * 50
                let isInserted = Bool.random(using: &generator)
                for member in run..<run + 50 where isInserted != model.contains(member) {
                    if isInserted { set.insert(member) } else { set.remove(member) }
                    if isInserted { model.insert(member) } else { model.remove(member) }
                    #expect(set.contains(member) == isInserted)
                    #expect(found.updateValue(model, forKey: set.contents) ?? model == model)
                    #expect(contents.updateValue(set.contents, forKey: model) ?? set.contents == set.contents)
                }
            }
        }
        #expect(found.count == contents.count && found.count > 200)
    }

    @Test("A search's memory of each order does not grow with the history, also if operations never take effect")
    func size() {
        let records = (0..<20_000).map { number in
            RecordedOperation<Int, Int>(
                process: number,
                number,
                number.isMultiple(of: 2) ? 0 : nil,
                invokedAt: UInt64(number),
                respondedAt: number.isMultiple(of: 2) ? UInt64(number) : nil
            )
        }
        var operations = OrderedOperations(of: records)
        for number in records.indices where number.isMultiple(of: 2) {
            operations.insert(number)
            #expect(operations.contents.answered.words.count <= 1)
            #expect(operations.contents.unanswered.words.isEmpty)
        }
        for number in records.indices where !number.isMultiple(of: 2) {
            operations.insert(number)
            #expect(operations.contents.unanswered.words.count <= 1)
        }
        #expect(records.indices.allSatisfy { operations.contains($0) })
    }
}
