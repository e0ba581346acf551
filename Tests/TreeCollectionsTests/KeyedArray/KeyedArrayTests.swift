import ActorStoreSimulation
import Foundation
import Testing
import TreeCollections

@Suite("KeyedArray", .timeLimit(.minutes(10)))
struct KeyedArrayTests {
    struct Order: Identifiable, Hashable, Codable, Sendable {
        let id: Int
        var amount = 0
    }

    /// An element whose copies are detected.
    struct Box: Identifiable {
        final class Content { var number = 0 }
        let id: Int
        var content = Content()
        mutating func isUnique() -> Bool { isKnownUniquelyReferenced(&content) }
    }

    @Test("A keyed array keeps the order of insertion, and finds elements by identity and position")
    func order() {
        var orders: KeyedArray = [Order(id: 7), Order(id: 3, amount: 1), Order(id: 9)]
        #expect(Array(orders.ids) == [7, 3, 9])
        #expect(orders[id: 3]?.amount == 1 && orders[1].amount == 1)
        #expect(orders.index(id: 9) == 2 && orders.index(id: 4) == nil && orders[id: 4] == nil)
        #expect(orders.contains(id: 7) && !orders.contains(id: 8))
        orders.insert(Order(id: 4), at: 1)
        #expect(Array(orders.ids) == [7, 4, 3, 9] && orders.index(id: 9) == 3)
        orders.remove(id: 7)
        #expect(Array(orders.ids) == [4, 3, 9] && orders.index(id: 4) == 0)
        #expect(orders.first?.id == 4 && orders.count == 3 && orders.elements.count == 3)
    }

    @Test("An identity is unique: appending keeps the present element, updating replaces it in its place")
    func uniqueness() {
        var orders: KeyedArray = [Order(id: 1), Order(id: 2), Order(id: 1, amount: 5)]
        #expect(orders.elements == [Order(id: 1, amount: 5), Order(id: 2)])
        #expect(orders.append(Order(id: 2, amount: 6)) == (false, 1))
        #expect(orders.insert(Order(id: 3), at: 0) == (true, 0))
        #expect(orders.updateOrAppend(Order(id: 2, amount: 7)) == Order(id: 2))
        #expect(orders.updateOrAppend(Order(id: 4)) == nil)
        #expect(orders.elements.map(\.amount) == [0, 5, 7, 0])
    }

    @Test("Setting by identity replaces, appends and, with nil, removes")
    func setting() {
        var orders: KeyedArray = [Order(id: 1), Order(id: 2), Order(id: 3)]
        orders[id: 2] = Order(id: 2, amount: 8)
        orders[id: 5] = Order(id: 5)
        orders[id: 1] = nil
        orders[id: 6] = nil
        #expect(orders.elements == [Order(id: 2, amount: 8), Order(id: 3), Order(id: 5)])
    }

    @Test("Elements are changed in place through every access, without a copy")
    func inPlace() {
        var boxes = KeyedArray((0..<10).map { Box(id: $0) })
        var unique: [Bool] = []
        boxes[3].content.number += 1
        unique.append(boxes[3].isUnique())
        boxes[id: 3]?.content.number += 1
        unique.append(boxes[id: 3]?.isUnique() ?? false)
        unique.append(
            boxes.modify(id: 3) { box in
                box.content.number += 1
                return box.isUnique()
            } ?? false
        )
        #expect(unique == [true, true, true])
        #expect(boxes[3].content.number == 3 && Array(boxes.ids) == Array(0..<10))
        #expect(boxes.modify(id: 11) { _ in } == nil)
        // As a last resort for a value that is nil afterwards.
        func remove(_ box: inout Box?) { box = nil }
        remove(&boxes[id: 3])
        remove(&boxes[id: 9])
        remove(&boxes[id: 12])
        #expect(Array(boxes.ids) == [0, 1, 2, 4, 5, 6, 7, 8] && boxes.index(id: 8) == 7)
        func insert(_ box: inout Box?) { box = Box(id: 20) }
        insert(&boxes[id: 20])
        #expect(boxes.last?.id == 20)
    }

    @Test("A keyed array behaves like an array with linear search, under any operations", arguments: 1...8)
    func model(seed: UInt64) {
        var generator = SimulationGenerator(seed: seed)
        var keyed = KeyedArray<Order>()
        var model: [Order] = []
        var versions: [(KeyedArray<Order>, [Order])] = []
        for step in 0..<2_000 {
            let id = Int.random(in: 0..<40, using: &generator)
            let position = model.firstIndex { $0.id == id }
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1, 2:
                keyed.append(Order(id: id, amount: step))
                if position == nil { model.append(Order(id: id, amount: step)) }
            case 3:
                let place = Int.random(in: 0...model.count, using: &generator)
                keyed.insert(Order(id: id), at: place)
                if position == nil { model.insert(Order(id: id), at: place) }
            case 4:
                #expect(keyed.remove(id: id) == position.map { model.remove(at: $0) })
            case 5:
                keyed[id: id] = Order(id: id, amount: step)
                if let position { model[position].amount = step } else { model.append(Order(id: id, amount: step)) }
            case 6:
                keyed[id: id]?.amount += 1
                if let position { model[position].amount += 1 }
            case 7:
                #expect(keyed.popLast() == model.popLast())
            case 8:
                keyed.sort { ($0.amount, $0.id) < ($1.amount, $1.id) }
                model.sort { ($0.amount, $0.id) < ($1.amount, $1.id) }
            case 9:
                keyed.removeAll { $0.id % 7 == id % 7 }
                model.removeAll { $0.id % 7 == id % 7 }
            case 10:
                keyed.reverse()
                model.reverse()
            default:
                guard model.count > 1 else { continue }
                let (first, second) = (step % model.count, id % model.count)
                keyed.swapAt(first, second)
                model.swapAt(first, second)
                keyed.move(from: second, to: first)
                model.insert(model.remove(at: second), at: first)
            }
            if step % 100 == 0 { versions.append((keyed, model)) }
            #expect(keyed.elements == model)
            for (place, order) in model.enumerated() { #expect(keyed.index(id: order.id) == place) }
            #expect((0..<40).count { keyed.contains(id: $0) } == model.count)
        }
        for (keyed, model) in versions { #expect(keyed.elements == model) }
    }

    @Test("Each element is present and found by its identity after any closure has thrown")
    func errors() {
        struct Failure: Error {}
        let ids = [5, 0, 4, 1, 3, 2]
        var failures = 0
        for calls in 0..<20 {
            var left = calls
            func fail() throws {
                if left == 0 { throw Failure() }
                left -= 1
            }
            let changes: [(inout KeyedArray<Order>) throws -> Void] = [
                { orders in
                    try orders.removeAll { order in
                        try fail()
                        return order.id % 2 == 0
                    }
                },
                { orders in
                    try orders.sort { first, second in
                        try fail()
                        return first.id < second.id
                    }
                },
            ]
            for change in changes {
                var orders = KeyedArray(ids.map { Order(id: $0) })
                let lineage = orders.lineage
                left = calls
                do {
                    try change(&orders)
                    continue
                } catch { failures += 1 }
                #expect(orders.lineage == lineage && orders.ids.sorted() == ids.sorted(), "\(calls) calls")
                for (place, order) in orders.enumerated() { #expect(orders.index(id: order.id) == place) }
                for id in ids { #expect(orders.modify(id: id) { $0.amount = id } != nil) }
                #expect(orders.remove(id: 3) == Order(id: 3, amount: 3) && orders.count == 5)
            }
        }
        #expect(failures > 10)
    }

    @Test("The lineage is kept while elements come and change, and changes when one goes")
    func lineage() {
        var orders: KeyedArray = [Order(id: 1), Order(id: 2)]
        let first = orders.lineage
        orders.append(Order(id: 3))
        orders.insert(Order(id: 0), at: 0)
        orders[id: 2]?.amount = 5
        orders[id: 2] = Order(id: 2, amount: 6)
        orders.sort { $0.id > $1.id }
        orders.swapAt(0, 1)
        #expect(orders.lineage == first)
        let changes: [(inout KeyedArray<Order>) -> Void] = [
            { $0.remove(id: 1) }, { $0.removeAll { $0.id == 1 } }, { $0.removeAll() }, { $0[id: 1] = nil },
            { $0 = [Order(id: 1), Order(id: 2)] }, { $0 = [] }, { _ = $0.popLast() }, { _ = $0.popFirst() },
        ]
        for change in changes {
            var copy = orders
            change(&copy)
            #expect(copy.lineage != orders.lineage)
        }
        #expect(orders.lineage == first)
    }

    @Test("Copies that diverge have different lineages")
    func divergence() {
        let older: KeyedArray = [Order(id: 1)]
        var newer = older
        #expect(newer.lineage == older.lineage)
        newer.append(Order(id: 2))
        // Going back to the older one is a removal as well.
        #expect(newer.lineage != older.lineage)
    }

    @Test("Equality, hash, coding and description of a keyed array are those of its elements")
    func conformances() throws {
        let orders: KeyedArray = [Order(id: 1), Order(id: 2, amount: 3)]
        var same: KeyedArray = [Order(id: 1), Order(id: 9), Order(id: 2, amount: 3)]
        #expect(orders != same)
        same.remove(id: 9)
        #expect(orders == same && orders.hashValue == same.hashValue)
        let data = try JSONEncoder().encode(orders)
        #expect(try JSONDecoder().decode([Order].self, from: data) == orders.elements)
        #expect(try JSONDecoder().decode(KeyedArray<Order>.self, from: data) == orders)
        let doubled = try JSONEncoder().encode([Order(id: 1), Order(id: 1)])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(KeyedArray<Order>.self, from: doubled) }
        #expect(orders.description == orders.elements.description)
        #expect(KeyedArray<Order>().isEmpty && KeyedArray<Order>() == [])
    }
}
