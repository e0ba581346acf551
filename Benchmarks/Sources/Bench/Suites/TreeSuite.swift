import Benchmarking
import TreeCollections

/// The cost of a dictionary whose versions share their common parts, beside the standard library's, which copies
/// everything when a version is retained.
let treeSuite = Suite("tree dictionary", [1_000, 100_000, 1_000_000].flatMap(treeBenchmarks))

/// The keys are used in an order without a pattern that a cache could exploit. All dictionaries of one benchmark have
/// the keys from 0 on.
private func treeBenchmarks(entries: Int) -> [Benchmark] {
    let parameters: Parameters = ["entries": .integer(entries)]
    return pair("lookup", parameters) {
        Dictionaries(entries)
    } tree: { dictionaries, count in
        var keys = dictionaries.keys
        defer { dictionaries.keys = keys }
        for _ in 0..<count { blackHole(dictionaries.tree[keys.next()]) }
    } standard: { dictionaries, count in
        var keys = dictionaries.keys
        defer { dictionaries.keys = keys }
        for _ in 0..<count { blackHole(dictionaries.standard[keys.next()]) }
    }
        + pair("update", parameters) {
            Dictionaries(entries)
        } tree: { dictionaries, count in
            var keys = dictionaries.keys
            defer { dictionaries.keys = keys }
            for number in 0..<count { dictionaries.tree[keys.next()] = number }
        } standard: { dictionaries, count in
            var keys = dictionaries.keys
            defer { dictionaries.keys = keys }
            for number in 0..<count { dictionaries.standard[keys.next()] = number }
        }
        + pair("update with the last version kept", parameters, slow: true) {
            Dictionaries(entries)
        } tree: { dictionaries, count in
            var keys = dictionaries.keys
            defer { dictionaries.keys = keys }
            for number in 0..<count {
                dictionaries.olderTree = dictionaries.tree
                dictionaries.tree[keys.next()] = number
            }
        } standard: { dictionaries, count in
            var keys = dictionaries.keys
            defer { dictionaries.keys = keys }
            for number in 0..<count {
                dictionaries.olderStandard = dictionaries.standard
                dictionaries.standard[keys.next()] = number
            }
        }
        + pair("difference of one key", parameters, slow: true) {
            Dictionaries(entries, oneKeyApart: true)
        } tree: { dictionaries, count in
            for _ in 0..<count { blackHole(dictionaries.tree.difference(from: dictionaries.olderTree)) }
        } standard: { dictionaries, count in
            for _ in 0..<count {
                blackHole(difference(of: dictionaries.standard, from: dictionaries.olderStandard))
            }
        }
        + pair("iterate", parameters) {
            Dictionaries(entries)
        } tree: { dictionaries, count in
            var sum = 0
            for (_, value) in Repeated(dictionaries.tree, count) { sum &+= value }
            blackHole(sum)
        } standard: { dictionaries, count in
            var sum = 0
            for (_, value) in Repeated(dictionaries.standard, count) { sum &+= value }
            blackHole(sum)
        }
}

/// A benchmark of the tree dictionary, and of the standard one. Slow operations are those that take the standard one
/// time linear in its entries.
private func pair(
    _ name: String,
    _ parameters: Parameters,
    slow: Bool = false,
    setUp: @escaping @Sendable () -> Dictionaries,
    tree: @escaping @Sendable (Dictionaries, Int) -> Void,
    standard: @escaping @Sendable (Dictionaries, Int) -> Void
) -> [Benchmark] {
    let standardName = "Dictionary, \(name)"
    var isLarge = false
    if case .integer(1_000_000)? = parameters["entries"] { isLarge = slow }
    let few = Configuration(operationsPerSample: 1, minimumSamples: 3, maximumSamples: 5)
    return [
        Benchmark(name, parameters: parameters, comparedWith: [standardName], setUp: setUp, measure: tree),
        Benchmark(
            standardName,
            parameters: parameters,
            configuration: isLarge ? few : Configuration(),
            setUp: setUp,
            measure: standard
        ),
    ]
}

/// Both dictionaries, with the previous version.
private final class Dictionaries: @unchecked Sendable {
    // Sound: the harness sets up, measures and tears down in sequence.
    var tree: TreeDictionary<Int, Int>
    var olderTree: TreeDictionary<Int, Int> = [:]
    var standard: [Int: Int]
    var olderStandard: [Int: Int] = [:]
    /// Continues from sample to sample: the same keys again would be in the cache.
    var keys: KeyOrder

    init(_ entries: Int, oneKeyApart: Bool = false) {
        keys = KeyOrder(scattered: entries)
        let pairs = (0..<entries).map { ($0, $0) }
        tree = TreeDictionary(uniqueKeysWithValues: pairs)
        standard = Dictionary(uniqueKeysWithValues: pairs)
        guard oneKeyApart else { return }
        (olderTree, olderStandard) = (tree, standard)
        tree[entries / 2] = -1
        standard[entries / 2] = -1
    }
}

/// The requested number of entries of a dictionary, from the start again at its end.
private struct Repeated<Entries: Sequence>: Sequence, IteratorProtocol {
    private let entries: Entries
    private var iterator: Entries.Iterator
    private var remaining: Int

    init(_ entries: Entries, _ count: Int) {
        self.entries = entries
        iterator = entries.makeIterator()
        remaining = count
    }

    mutating func next() -> Entries.Element? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if let element = iterator.next() { return element }
        iterator = entries.makeIterator()
        return iterator.next()
    }
}

/// The keys with different values, found by comparing all of them.
private func difference(of newer: [Int: Int], from older: [Int: Int]) -> TreeDictionaryDifference<Int, Int> {
    var difference = TreeDictionaryDifference<Int, Int>()
    for (key, value) in newer {
        guard let oldValue = older[key] else {
            difference.inserted.append(.init(key: key, value: value))
            continue
        }
        if value != oldValue { difference.updated.append(.init(key: key, oldValue: oldValue, newValue: value)) }
    }
    for (key, value) in older where newer[key] == nil { difference.removed.append(.init(key: key, value: value)) }
    return difference
}
