@testable import TreeCollections
@testable import TreeModel

/// A tree dictionary against a `Dictionary`, with good and bad hashes, copies, and changes during iteration.
enum TreeDictionaryTarget {
    static func run(_ bytes: inout Bytes) {
        switch bytes.below(4) {
        case 0: operate(SpreadHash.self, &bytes)
        case 1: operate(EqualHash.self, &bytes)
        case 2: operate(ThreeBitHash.self, &bytes)
        default: operate(TopBitsHash.self, &bytes)
        }
    }

    private static func operate<Kind: HashKind>(_: Kind.Type, _ bytes: inout Bytes) {
        var model = Model<HashedKey<Kind>, Int>()
        var versions: [Model<HashedKey<Kind>, Int>] = []
        let range = [8, 64, 256][bytes.below(3)]
        while let operation = bytes.next() {
            if operation % 16 < 12 {
                let key = HashedKey<Kind>(bytes.below(range))
                demand(change(&model, Int(operation % 16), key, value: Int(operation / 16)))
            } else {
                transform(&model, &versions, Int(operation % 16), &bytes)
                demand(model.flaw())
            }
        }
        demand(model.flaw())
        for version in versions { demand(version.flaw()) }
    }

    /// Changes one entry, or looks it up.
    ///
    /// - Returns: The detected defect.
    private static func change<Kind: HashKind>(
        _ model: inout Model<HashedKey<Kind>, Int>,
        _ operation: Int,
        _ key: HashedKey<Kind>,
        value: Int
    ) -> String? {
        switch operation {
        case 0...3:
            let old = model.tree.updateValue(value, forKey: key)
            return old == model.dictionary.updateValue(value, forKey: key) ? nil : "updateValue"
        case 4...6:
            let old = model.tree.removeValue(forKey: key)
            return old == model.dictionary.removeValue(forKey: key) ? nil : "removeValue"
        case 7:
            model.tree[key, default: 5] += 1
            model.dictionary[key, default: 5] += 1
        case 8:
            model.tree[key] = value.isMultiple(of: 3) ? nil : value
            model.dictionary[key] = value.isMultiple(of: 3) ? nil : value
        case 9:
            guard let index = model.tree.index(forKey: key) else {
                return model.dictionary[key] == nil ? nil : "index(forKey:)"
            }
            let old = model.tree.remove(at: index)
            return old.key == key && old.value == model.dictionary.removeValue(forKey: key) ? nil : "remove(at:)"
        case 10:
            guard let (key, value) = model.tree.popFirst() else { return model.dictionary.isEmpty ? nil : "popFirst" }
            return model.dictionary.removeValue(forKey: key) == value ? nil : "popFirst"
        default:
            change(&model.tree[key], value)
            change(&model.dictionary[key], value)
        }
        return model.tree[key] == model.dictionary[key] ? nil : "lookup of \(key)"
    }

    /// Removes every third value, and changes or adds the others.
    private static func change(_ value: inout Int?, _ number: Int) {
        value = number.isMultiple(of: 3) ? nil : (value ?? 0) + number
    }

    /// Processes all entries, or another version.
    private static func transform<Kind: HashKind>(
        _ model: inout Model<HashedKey<Kind>, Int>,
        _ versions: inout [Model<HashedKey<Kind>, Int>],
        _ operation: Int,
        _ bytes: inout Bytes
    ) {
        guard operation > 12, !versions.isEmpty else {
            versions.append(model)
            if versions.count > 4 { versions.remove(at: bytes.below(4)) }
            return
        }
        let other = versions[bytes.below(versions.count)]
        switch operation {
        case 13:
            demand(model.flawInDifference(from: other))
            demand(other.flawInDifference(from: model))
        case 14:
            if bytes.isTrue() {
                model.tree.merge(other.tree) { $0 &+ 2 &* $1 }
                model.dictionary.merge(other.dictionary) { $0 &+ 2 &* $1 }
            } else {
                model = other
            }
        default:
            let divisor = bytes.below(5) + 1
            if bytes.isTrue() {
                for (key, value) in model.tree where key.number % divisor == 0 {
                    demand(model.tree.removeValue(forKey: key) == value, "Removal while it is gone through")
                    model.dictionary[key] = nil
                }
            } else {
                model.tree = model.tree.filter { $0.value % divisor != 0 }.mapValues { $0 &+ 1 }
                model.dictionary = model.dictionary.filter { $0.value % divisor != 0 }.mapValues { $0 &+ 1 }
            }
        }
    }
}
