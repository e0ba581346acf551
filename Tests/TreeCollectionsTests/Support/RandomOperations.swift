import ActorStoreSimulation

@testable import TreeCollections

/// Runs random operations on a tree dictionary and on a `Dictionary`, and compares the results.
struct RandomOperations<Kind: HashKind> {
    typealias Key = HashedKey<Kind>

    private var model = Model<Key, Int>()
    private var versions: [Model<Key, Int>] = []
    private var generator: SimulationGenerator
    private let range: Int

    init(seed: UInt64, range: Int) {
        generator = SimulationGenerator(seed: seed)
        self.range = range
    }

    /// The difference, or nil.
    mutating func run(_ operations: Int, checks: Int) -> String? {
        for operation in 1...operations {
            if let flaw = step() { return "Operation \(operation): \(flaw)" }
            if operation % max(1, operations / checks) == 0, let flaw = check() {
                return "After operation \(operation): \(flaw)"
            }
        }
        return nil
    }

    private mutating func step() -> String? {
        let key = Key(Int.random(in: 0..<range, using: &generator))
        let value = Int.random(in: 0..<10, using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<35:
            let old = model.tree.updateValue(value, forKey: key)
            return old == model.dictionary.updateValue(value, forKey: key) ? nil : "updateValue"
        case 35..<62:
            let old = model.tree.removeValue(forKey: key)
            return old == model.dictionary.removeValue(forKey: key) ? nil : "removeValue"
        case 62..<74:
            model.tree[key, default: 5] += 1
            model.dictionary[key, default: 5] += 1
            return model.tree[key] == model.dictionary[key] ? nil : "subscript with a default"
        case 74..<80:
            model.tree[key] = value
            model.dictionary[key] = value
        case 80..<86:
            change(&model.tree[key], value)
            change(&model.dictionary[key], value)
            return model.tree[key] == model.dictionary[key] ? nil : "modification in place"
        case 86..<88:
            guard let index = model.tree.index(forKey: key) else {
                return model.dictionary[key] == nil ? nil : "index(forKey:)"
            }
            guard model.tree[index].key == key else { return "subscript of an index" }
            let old = model.tree.remove(at: index).value
            return old == model.dictionary.removeValue(forKey: key) ? nil : "remove(at:)"
        case 88:
            guard let (key, value) = model.tree.popFirst() else { return model.dictionary.isEmpty ? nil : "popFirst" }
            return model.dictionary.removeValue(forKey: key) == value ? nil : "popFirst"
        case 89:
            // Currently shared nodes are copied by later operations.
            versions.append(model)
            if versions.count > 6 { versions.remove(at: Int.random(in: 0..<6, using: &generator)) }
        default:
            return model.tree[key] == model.dictionary[key] ? nil : "lookup"
        }
        return nil
    }

    /// Removes every third value, and changes or adds the others.
    private func change(_ value: inout Int?, _ number: Int) {
        value = number % 3 == 0 ? nil : (value ?? 0) + number
    }

    private mutating func check() -> String? {
        if let flaw = model.flaw() { return flaw }
        if let version = versions.randomElement(using: &generator) {
            if let flaw = version.flaw() { return "An older version: \(flaw)" }
            if let flaw = model.flawInDifference(from: version) { return flaw }
            if let flaw = version.flawInDifference(from: model) { return flaw }
            model.tree.merge(version.tree) { $0 + 2 * $1 }
            model.dictionary.merge(version.dictionary) { $0 + 2 * $1 }
        }
        return model.flaw()
    }
}
