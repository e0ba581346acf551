import Synchronization

/// Counts the living instances, to detect leaks.
final class InstanceCounter: Sendable {
    private let alive = Atomic<Int>(0)

    var count: Int { alive.load(ordering: .relaxed) }
    func add(_ difference: Int) { alive.add(difference, ordering: .relaxed) }
}

/// A value that is counted while it is alive.
final class Instance: Hashable, Sendable {
    let number: Int
    private let counter: InstanceCounter

    init(_ number: Int, _ counter: InstanceCounter) {
        self.number = number
        self.counter = counter
        counter.add(1)
    }

    deinit { counter.add(-1) }

    static func == (left: Instance, right: Instance) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// A value that counts its comparisons in a shared counter.
struct ComparedValue: Equatable, Sendable {
    let number: Int
    let comparisons: InstanceCounter

    static func == (left: ComparedValue, right: ComparedValue) -> Bool {
        left.comparisons.add(1)
        return left.number == right.number
    }
}
