/// Where the effects of a store's own reducer, or of one child, are known: by their identities, with the queues and the
/// intervals of these. A tree of them, in which one finds that of a child by its path.
///
/// A child that comes in place of one that has gone gets another one. What goes on of the one that has gone keeps its
/// own, so that neither finds the work of the other.
final class EffectPlace: @unchecked Sendable {
    // Sound: jobs and plans carry places, but only the owner of the store's turn looks into them.

    /// nil for that of the store's own reducer, and when this one is of no use, which the parent need not outlive.
    private unowned var parent: EffectPlace?
    private let step: EffectStep?
    private var children: [EffectStep: EffectPlace] = [:]
    /// The version of its elements in which those were looked for last that have gone; nil if others have been added
    /// since.
    private var lookedAtVersion: ExactIdentity?
    /// Whether its child was missing at a look since something of it began last. Its place stays, because effects
    /// outlive it.
    private var wasMissing = false
    /// Those of children that have gone, of which something goes on, by when they went.
    private var former: [UInt64: EffectPlace] = [:]
    private var lastFormer: UInt64 = 0
    /// Its key in `former` of its parent; nil while its child is there.
    private var formerNumber: UInt64?

    /// The work of one identity.
    private struct Numbers {
        /// Of that which was planned as a part of an effect, and has not begun. Apart from the others, so that work
        /// which begins need not look at all parts that come after it.
        var planned = AscendingNumbers()
        /// Of that which has begun, or is the whole effect and is about to begin, and has not ended.
        var begun: Set<UInt64> = []
        /// Of that which has ended, and of which actions have still to be reduced.
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
    /// Those of work without identities.
    private var otherNumbers: Set<UInt64> = []
    var queues: [EffectID: EffectQueue] = [:]
    var throttles: [EffectID: EffectThrottle] = [:]

    /// That of a store's own reducer.
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

    /// Takes note that it begins.
    func begin(_ job: EffectJob) {
        if let id = job.id { numbersByID[id]?.begin(job.number) }
    }

    /// Takes note that it has ended, and that actions of it have still to be reduced.
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

    /// The work with this identity that has begun, or is about to, and has not ended.
    func numbersOfBegun(_ id: EffectID) -> Set<UInt64> { numbersByID[id]?.begun ?? [] }

    /// All work with this identity, but for the planned one of which the numbers are in a range.
    ///
    /// - Complexity: O(*n* + log *m*) with *n* results and *m* planned pieces of work.
    func numbers(of id: EffectID, exceptPlanned range: ClosedRange<UInt64>) -> [UInt64] {
        guard let numbers = numbersByID[id] else { return [] }
        let planned = numbers.planned.outside(range)
        return Array(planned.below) + numbers.begun + numbers.unreduced + planned.above
    }

    /// All work that belongs here, or to a child of this one.
    var numbers: [UInt64] {
        andDescendants.flatMap { $0.otherNumbers + $0.numbersByID.values.flatMap(\.all) }
    }

    // MARK: Children

    /// That of the child at a path, if it is of use already.
    func child(at path: EffectPath) -> EffectPlace? { path.steps.reduce(Optional(self)) { $0?.children[$1] } }

    /// That of the child at a path. It is of use from when something is put into it.
    func makeChild(at path: EffectPath) -> EffectPlace {
        path.steps.reduce(self) { place, step in
            if let child = place.children[step] {
                // Something of it begins, and so it is there again.
                if child.wasMissing { (child.wasMissing, place.lookedAtVersion) = (false, nil) }
                return child
            }
            let child = EffectPlace(below: place, step)
            place.children[step] = child
            place.lookedAtVersion = nil
            return child
        }
    }

    /// Those of the children that a cancellation covers, but for those that were looked for before.
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

    /// Takes note that the child has gone: the next one gets another place.
    func leave() {
        guard let parent, let step, formerNumber == nil else { return }
        parent.children[step] = nil
        parent.lastFormer += 1
        formerNumber = parent.lastFormer
        parent.former[parent.lastFormer] = self
    }

    /// Forgets the intervals of a child that has gone, and of its children, because nobody asks for them again.
    func forgetIntervals() {
        for place in andDescendants {
            place.throttles = [:]
            place.removeIfUnused()
        }
    }

    /// Forgets those of its intervals for which a condition holds.
    func forgetIntervals(where isOver: (EffectThrottle) -> Bool) {
        if throttles.isEmpty { return }
        throttles = throttles.filter { !isOver($1) }
        removeIfUnused()
    }

    /// Is forgotten by its parent if there is nothing to know of it.
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

    /// This one and all above it, from the inside outwards.
    var andAncestors: [EffectPlace] {
        var places = [self]
        while let parent = places[places.count - 1].parent { places.append(parent) }
        return places
    }

    /// The one to which so many steps lead; nil if this one is further out.
    func ancestor(atDepth depth: Int) -> EffectPlace? {
        let places = andAncestors
        return depth < places.count ? places[places.count - 1 - depth] : nil
    }

    /// This one and all below it.
    var andDescendants: [EffectPlace] {
        [self] + children.values.flatMap(\.andDescendants) + former.values.flatMap(\.andDescendants)
    }

    /// How many identities are in use here.
    var numberOfIdentities: Int { numbersByID.count }
}

/// A set of numbers in ascending order. It is made for numbers that come in their order, and go in it.
struct AscendingNumbers {
    // Invariants: `numbers` ascends strictly from `start` on, and `start` is 0 if nothing is there.
    private var numbers: [UInt64] = []
    /// Where the first one is: what stands before it has gone.
    private var start = 0

    var isEmpty: Bool { numbers.isEmpty }
    var all: ArraySlice<UInt64> { numbers[start...] }

    /// - Complexity: O(1) if the number is the greatest, otherwise O(*n*).
    mutating func insert(_ number: UInt64) {
        if let last = numbers.last, last >= number {
            let index = index(of: number)
            if numbers[index] != number { numbers.insert(number, at: index) }
        } else {
            numbers.append(number)
        }
    }

    /// - Returns: Whether the number was there.
    /// - Complexity: O(log *n*), amortised, if the number is the smallest, otherwise O(*n*).
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

    /// The numbers outside of a range.
    ///
    /// - Complexity: O(log *n*).
    func outside(_ range: ClosedRange<UInt64>) -> (below: ArraySlice<UInt64>, above: ArraySlice<UInt64>) {
        let above = range.upperBound == .max ? numbers.count : index(of: range.upperBound + 1)
        return (numbers[start..<index(of: range.lowerBound)], numbers[above...])
    }

    /// Where the first number is that is not less, by bisection.
    private func index(of number: UInt64) -> Int {
        var (low, high) = (start, numbers.count)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
