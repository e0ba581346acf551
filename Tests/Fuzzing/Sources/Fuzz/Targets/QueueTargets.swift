@testable import ActorStore
@testable import ActorStoreGroups

/// An observer's buffer against an array, for all policies.
enum ElementBufferTarget {
    static func run(_ bytes: inout Bytes) {
        let overflows: [BufferingPolicy.Overflow] = [.dropOldest, .dropNewest, .finish, .suspendStore]
        let overflow = overflows[bytes.below(4)]
        let limit = [1, 2, 3, 70, 150, Int.max][bytes.below(6)]
        var buffer = ElementBuffer<Int>(limit: limit, overflow: overflow)
        var (model, dropped, isClosed, missesNewest, number) = ([Int](), 0, false, false, 0)
        while let operation = bytes.next() {
            switch operation % 8 {
            case 0...4:
                number += 1
                var expected: Int?
                if isClosed {
                    expected = number
                } else if model.count < limit || overflow == .suspendStore {
                    model.append(number)
                    missesNewest = false
                } else if overflow == .dropOldest {
                    expected = model.removeFirst()
                    model.append(number)
                } else {
                    expected = number
                    isClosed = overflow == .finish
                    missesNewest = overflow == .dropNewest
                }
                if expected != nil { dropped += 1 }
                demand(buffer.append(number) == expected, "What gave way is not \(String(describing: expected)).")
            case 5, 6:
                for _ in 0...bytes.below(100) {
                    demand(buffer.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "popFirst")
                }
                if missesNewest && model.isEmpty {
                    buffer.catchUp()
                    (missesNewest, dropped) = (false, dropped - 1)
                }
            default:
                demand(buffer.removeAll().compactMap { $0 } == model, "removeAll")
                model = []
            }
            demand(buffer.count == model.count && buffer.dropped == dropped, "The counts are wrong.")
            demand(buffer.isClosed == isClosed && buffer.missesNewest == missesNewest, "The marks are wrong.")
            demand(buffer.suspendsStore == (overflow == .suspendStore && model.count >= limit), "suspendsStore")
        }
    }
}

/// A queue that elements can leave early against an array.
enum SuspensionQueueTarget {
    static func run(_ bytes: inout Bytes) {
        var queue = SuspensionQueue<Int>()
        var model: [(key: UInt64, element: Int)] = []
        var gone: [UInt64] = []
        var number = 0
        while let operation = bytes.next() {
            number += 1
            switch operation % 8 {
            case 0...3:
                model.append((queue.append(number), number))
            case 4 where !model.isEmpty:
                let (key, element) = model.remove(at: bytes.below(model.count))
                demand(queue.remove(key) == element, "remove")
                gone.append(key)
            case 5:
                let first = model.isEmpty ? nil : model.removeFirst()
                demand(queue.removeFirst() == first?.element, "removeFirst")
                if let first { gone.append(first.key) }
            case 6 where !gone.isEmpty:
                demand(queue.remove(gone[bytes.below(gone.count)]) == nil, "One that had gone was removed.")
            case 7 where bytes.isTrue():
                demand(queue.removeAll() == model.map(\.element), "removeAll")
                gone += model.map(\.key)
                model = []
            default:
                demand(queue.first == model.first?.element, "first")
            }
            demand(queue.count == model.count && queue.isEmpty == model.isEmpty, "The count is wrong.")
        }
    }
}

/// The table of a group of stores against a list, with colliding hash values.
enum HashedEntriesTarget {
    static func run(_ bytes: inout Bytes) {
        var table = HashedEntries<[Int]>()
        var model: [(hash: UInt, entry: [Int], isUsed: Bool)] = []
        var number = 0
        let spread = [UInt(2), 16, 32, 1 << 40][bytes.below(4)]
        while let operation = bytes.next() {
            let hash = UInt(bytes.below(40) + 1) &* spread
            switch operation % 8 {
            case 0...3:
                number += 1
                table.insert([number], hash: hash)
                model.append((hash, [number], true))
            case 4, 5:
                if let index = table.firstIndex(of: hash) {
                    let removed = table.remove(at: index)
                    let place = model.firstIndex { $0.entry == removed && $0.hash == hash }
                    demand(place != nil, "Something else was removed.")
                    if let place { model.remove(at: place) }
                } else {
                    demand(!model.contains { $0.hash == hash }, "An entry is not found.")
                }
            case 6:
                if let index = table.firstIndex(of: hash) {
                    let entry = table.entries[index]
                    table.setUsed(operation > 127, at: index)
                    if let place = model.firstIndex(where: { $0.entry == entry }) {
                        model[place].isUsed = operation > 127
                    }
                }
            default:
                table.shrink()
            }
            let problem = flaw(in: table, model)
            demand(problem)
        }
    }

    private static func flaw(
        in table: borrowing HashedEntries<[Int]>,
        _ model: [(hash: UInt, entry: [Int], isUsed: Bool)]
    ) -> String? {
        guard table.count == model.count, 5 * table.count <= 4 * table.capacity else { return "The count is wrong." }
        for (hash, entry, isUsed) in model {
            var index = table.firstIndex(of: hash)
            while let place = index, table.entries[place] != entry { index = table.index(of: hash, after: place) }
            guard let index else { return "\(entry) is not found." }
            guard table.isUsed(at: index) == isUsed, table.hash(at: index) == hash else { return "A note is wrong." }
        }
        return nil
    }
}
