/// The registered effects of a store's own reducer, or of one child: their jobs by identity, with queues and intervals.
/// Places form a tree, in which the place of a child is found by its path.
///
/// A child that replaces a removed one gets a new place. Effects of the removed child that continue keep the old place,
/// so neither child finds the jobs of the other.
final class EffectPlace: @unchecked Sendable {
    // Sound: jobs and plans retain places, but only the owner of the store's turn reads them.

    /// nil for the place of the store's own reducer, and once this place is unused, so that the parent need not outlive
    /// it.
    private unowned var parent: EffectPlace?
    private let step: EffectStep?
    private var children: [EffectStep: EffectPlace] = [:]
    /// The version of its elements in which removed ones were last searched; nil if children have been added since.
    private var lookedAtVersion: ExactIdentity?
    /// Whether its child was missing in a search after its last effect began. The place is kept, because effects
    /// outlive the child.
    private var wasMissing = false
    /// Places of removed children whose effects continue, by the order of removal.
    private var former: [UInt64: EffectPlace] = [:]
    private var lastFormer: UInt64 = 0
    /// Its key in `former` of its parent; nil while its child exists.
    private var formerNumber: UInt64?

    /// The job numbers of one identity.
    private struct Numbers {
        /// Jobs that were planned as a part of an effect, and have not begun. Stored separately, so that a job that
        /// begins need not search all parts that come after it.
        var planned = AscendingNumbers()
        /// Jobs that have begun, or are a whole effect that is about to begin, and have not ended.
        var begun: Set<UInt64> = []
        /// Jobs that have ended before all of their actions were reduced.
        var unreduced: Set<UInt64> = []

        var isEmpty: Bool { planned.isEmpty && begun.isEmpty && unreduced.isEmpty }
        var all: [UInt64] { Array(planned.all) + begun + unreduced }

        mutating func begin(_ number: UInt64) {
            if planned.remove(number) { begun.insert(number) }
        }

        mutating func end(_ number: UInt64) {
            if begun.remove(number) != nil || planned.remove(number) { unreduced.insert(number) }
        }

        mutating func remove(_ number: UInt64) {
            if begun.remove(number) == nil, !planned.remove(number) { unreduced.remove(number) }
        }
    }

    private var numbersByID: [EffectID: Numbers] = [:]
    /// The numbers of jobs without identities.
    private var otherNumbers: Set<UInt64> = []
    var queues: [EffectID: EffectQueue] = [:]
    var throttles: [EffectID: EffectThrottle] = [:]

    /// Creates the place of a store's own reducer.
    init() {
        parent = nil
        step = nil
    }

    private init(below parent: EffectPlace, _ step: EffectStep) {
        self.parent = parent
        self.step = step
    }

    // MARK: Work

    /// - Parameter isPlanned: Whether it is a part of an effect, for which ``begin(_:)`` is called when it begins.
    func insert(_ job: EffectJob, isPlanned: Bool) {
        if let id = job.id {
            if isPlanned {
                numbersByID[id, default: Numbers()].planned.insert(job.number)
            } else {
                numbersByID[id, default: Numbers()].begun.insert(job.number)
            }
        } else {
            otherNumbers.insert(job.number)
        }
    }

    /// Records that a job begins.
    func begin(_ job: EffectJob) {
        if let id = job.id { numbersByID[id]?.begin(job.number) }
    }

    /// Records that a job has ended before all of its actions were reduced.
    func end(_ job: EffectJob) {
        if let id = job.id { numbersByID[id]?.end(job.number) }
    }

    func remove(_ job: EffectJob) {
        if let id = job.id {
            numbersByID[id]?.remove(job.number)
            if numbersByID[id]?.isEmpty == true { numbersByID[id] = nil }
        } else {
            otherNumbers.remove(job.number)
        }
        removeIfUnused()
    }

    /// Returns the jobs with this identity that have begun, or are about to, and have not ended.
    func numbersOfBegun(_ id: EffectID) -> Set<UInt64> { numbersByID[id]?.begun ?? [] }

    /// Returns all jobs with this identity except planned ones with numbers in a range.
    ///
    /// - Complexity: O(*n* + log *m*), where *n* is the number of results, and *m* the number of planned jobs.
    func numbers(of id: EffectID, exceptPlanned range: ClosedRange<UInt64>) -> [UInt64] {
        guard let numbers = numbersByID[id] else { return [] }
        let planned = numbers.planned.outside(range)
        return Array(planned.below) + numbers.begun + numbers.unreduced + planned.above
    }

    /// The numbers of all jobs of this place and of its descendants.
    var numbers: [UInt64] {
        andDescendants.flatMap { $0.otherNumbers + $0.numbersByID.values.flatMap(\.all) }
    }

    // MARK: Children

    /// Returns the place of the child at a path, if there is one.
    func child(at path: EffectPath) -> EffectPlace? { path.steps.reduce(Optional(self)) { $0?.children[$1] } }

    /// Returns the place of the child at a path, and creates it if necessary. The caller inserts a job into a new
    /// place.
    func makeChild(at path: EffectPath) -> EffectPlace {
        path.steps.reduce(self) { place, step in
            if let child = place.children[step] {
                // An effect of the child begins, so the child exists again.
                if child.wasMissing { (child.wasMissing, place.lookedAtVersion) = (false, nil) }
                return child
            }
            let child = EffectPlace(below: place, step)
            place.children[step] = child
            place.lookedAtVersion = nil
            return child
        }
    }

    /// Returns the places of the children that a cancellation covers, except those that were found by an earlier
    /// search.
    func takeChildren(coveredBy cancellation: EffectCancellation) -> [EffectPlace] {
        switch cancellation {
        case .all(let path): child(at: path).map { [$0] } ?? []
        case .elements(let path, let isPresent, let version): child(at: path)?.takeChildren(isPresent, version) ?? []
        case .outlived(let gone): takeChildren(coveredBy: gone)
        }
    }

    private func takeChildren(
        _ isPresent: (ExactIdentity) -> Bool,
        _ version: ExactIdentity?
    ) -> [EffectPlace] {
        if let version {
            if version == lookedAtVersion { return [] }
            lookedAtVersion = version
        }
        let missing = children.filter { step, _ in
            if case .element(let id) = step { !isPresent(id) } else { false }
        }.map(\.value)
        for place in missing { place.wasMissing = true }
        return missing
    }

    /// Records that the child has been removed: the next child gets a new place.
    func leave() {
        guard let parent, let step, formerNumber == nil else { return }
        parent.children[step] = nil
        parent.lastFormer += 1
        formerNumber = parent.lastFormer
        parent.former[parent.lastFormer] = self
    }

    /// Discards the intervals of a removed child, and of its children, because they will not be requested again.
    func forgetIntervals() {
        for place in andDescendants {
            place.throttles = [:]
            place.removeIfUnused()
        }
    }

    /// Discards the intervals for which a condition holds.
    func forgetIntervals(where isOver: (EffectThrottle) -> Bool) {
        if throttles.isEmpty { return }
        throttles = throttles.filter { !isOver($1) }
        removeIfUnused()
    }

    /// Removes this place from its parent if it is empty.
    func removeIfUnused() {
        guard let parent, let step, numbersByID.isEmpty, otherNumbers.isEmpty, queues.isEmpty, throttles.isEmpty,
            children.isEmpty, former.isEmpty
        else { return }
        if let formerNumber {
            parent.former[formerNumber] = nil
        } else if parent.children[step] === self {
            parent.children[step] = nil
        }
        self.parent = nil
        parent.removeIfUnused()
    }

    /// This place and its ancestors, from the inside outwards.
    var andAncestors: [EffectPlace] {
        var places = [self]
        while let parent = places[places.count - 1].parent { places.append(parent) }
        return places
    }

    /// Returns the place that `depth` steps lead to; nil if this place is further out.
    func ancestor(atDepth depth: Int) -> EffectPlace? {
        let places = andAncestors
        return depth < places.count ? places[places.count - 1 - depth] : nil
    }

    /// This place and its descendants.
    var andDescendants: [EffectPlace] {
        [self] + children.values.flatMap(\.andDescendants) + former.values.flatMap(\.andDescendants)
    }

    /// The number of identities in use here.
    var numberOfIdentities: Int { numbersByID.count }
}

/// A set of numbers in ascending order, optimised for inserting at the end and removing at the start.
struct AscendingNumbers {
    // Invariants: `numbers` ascends strictly from `start` on, and `start` is 0 if the set is empty.
    private var numbers: [UInt64] = []
    /// The index of the first number; those before it have been removed.
    private var start = 0

    var isEmpty: Bool { numbers.isEmpty }
    var all: ArraySlice<UInt64> { numbers[start...] }

    /// - Complexity: O(1) if the number is the greatest, otherwise O(*n*), where *n* is the number of elements.
    mutating func insert(_ number: UInt64) {
        if let last = numbers.last, last >= number {
            let index = index(of: number)
            if numbers[index] != number { numbers.insert(number, at: index) }
        } else {
            numbers.append(number)
        }
    }

    /// - Returns: `true` if the set contained the number.
    /// - Complexity: O(log *n*), amortised, if the number is the smallest, otherwise O(*n*), where *n* is the number of
    ///   elements.
    mutating func remove(_ number: UInt64) -> Bool {
        let index = index(of: number)
        guard index < numbers.count, numbers[index] == number else { return false }
        if index > start {
            numbers.remove(at: index)
        } else {
            start += 1
            if start * 2 >= numbers.count {
                numbers.removeFirst(start)
                start = 0
            }
        }
        return true
    }

    /// Returns the numbers outside a range.
    ///
    /// - Complexity: O(log *n*), where *n* is the number of elements.
    func outside(_ range: ClosedRange<UInt64>) -> (below: ArraySlice<UInt64>, above: ArraySlice<UInt64>) {
        let above = range.upperBound == .max ? numbers.count : index(of: range.upperBound + 1)
        return (numbers[start..<index(of: range.lowerBound)], numbers[above...])
    }

    /// Returns the index of the first number that is not less than `number`, by bisection.
    private func index(of number: UInt64) -> Int {
        var (low, high) = (start, numbers.count)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
