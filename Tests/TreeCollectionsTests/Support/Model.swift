@testable import TreeCollections

/// A tree dictionary and the dictionary that it has to equal.
struct Model<Key: Hashable, Value: Equatable> {
    var tree = TreeDictionary<Key, Value>()
    var dictionary: [Key: Value] = [:]

    /// The difference of the tree, or nil.
    func flaw() -> String? {
        tree.checkInvariants()
        guard tree.count == dictionary.count else { return "The count is \(tree.count), not \(dictionary.count)." }
        var visited = 0
        for (key, value) in tree {
            guard dictionary[key] == value else { return "Iteration has \(value) for \(key)." }
            visited += 1
        }
        guard visited == dictionary.count else { return "Iteration has \(visited) entries, not \(dictionary.count)." }
        for (key, value) in dictionary where tree[key] != value { return "A lookup of \(key) is not \(value)." }
        return nil
    }

    /// The error in the comparison with an older version, or nil.
    func flawInDifference(from older: Model) -> String? {
        let difference = tree.difference(from: older.tree)
        guard (tree == older.tree) == (dictionary == older.dictionary) else { return "== is wrong." }
        guard difference.isEmpty == (dictionary == older.dictionary) else { return "isEmpty is wrong." }
        for entry in difference.inserted {
            guard dictionary[entry.key] == entry.value, older.dictionary[entry.key] == nil else {
                return "\(entry.key) was not inserted."
            }
        }
        for entry in difference.removed {
            guard dictionary[entry.key] == nil, older.dictionary[entry.key] == entry.value else {
                return "\(entry.key) was not removed."
            }
        }
        for update in difference.updated {
            guard dictionary[update.key] == update.newValue, older.dictionary[update.key] == update.oldValue,
                update.newValue != update.oldValue
            else { return "\(update.key) was not updated." }
        }
        var removed: Set<Key> = []
        tree.forEachRemovedKey(since: older.tree) { removed.insert($0) }
        guard removed == Set(difference.removed.map(\.key)) else { return "The removed keys are wrong." }
        let expected =
            dictionary.count { $0.value != older.dictionary[$0.key] }
            + older.dictionary.count { dictionary[$0.key] == nil }
        let found = difference.inserted.count + difference.removed.count + difference.updated.count
        return found == expected ? nil : "The difference has \(found) keys, not \(expected)."
    }
}
