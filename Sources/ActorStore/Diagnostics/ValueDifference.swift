/// The difference between two versions of a value, in readable lines.
///
/// ```swift
/// print(ValueDifference(from: before, to: after))
/// //   State(
/// // -   count: 1
/// // +   count: 2
/// //     … (3 unchanged)
/// //   )
/// ```
///
/// Only differences are shown, with the path to each. Equal `Equatable` values are not searched. Elements of arrays are
/// matched in order, so an insertion is one added line. Elements of dictionaries and sets are matched by the keys and
/// elements themselves, even if their descriptions are equal. Types with their own description are shown by it, except
/// the outermost one. ``Redactable`` values are left out.
///
/// - Complexity: O(*n* · *d*), where *n* is the size of the collections and structures that differ, and *d* their
///   nesting depth: each level compares what is below it to find the parts that differ. Values that were added or
///   removed as a whole cost O(*n*), and again for each set around them, which sorts its elements by their
///   descriptions. Arrays that differ in more than their ends cost the product of their lengths up to a length of
///   1,000; longer ones are compared position by position.
package struct ValueDifference: Sendable, Equatable, CustomStringConvertible {
    /// One line of a difference.
    package struct Line: Sendable, Equatable, CustomStringConvertible {
        /// The kind of a line.
        package enum Kind: Sendable, Equatable {
            /// Part of both versions: the path to a difference.
            case same
            /// Part of the old value only.
            case removed
            /// Part of the new value only.
            case added
            /// A note: how much was left out here.
            case note
        }

        /// The kind of the line.
        package let kind: Kind
        /// The nesting depth of the line.
        package let depth: Int
        /// The text, without marks and indentation.
        package let text: String

        /// The line as it is printed, with a leading `-` or `+`.
        package var description: String {
            let mark = kind == .removed ? "-" : kind == .added ? "+" : " "
            return "\(mark) \(String(repeating: "  ", count: depth))\(text)"
        }
    }

    /// The lines, from the outermost type to its end; empty if nothing differs.
    package let lines: [Line]

    /// Whether there is no difference to show.
    package var isEmpty: Bool { lines.isEmpty }

    /// Compares two versions of a value.
    ///
    /// - Parameters:
    ///   - old: The earlier version.
    ///   - new: The later version.
    ///   - maximumElements: The maximum number of elements that are written of a collection that was added or removed
    ///     as a whole. Negative numbers count as zero.
    package init<Value>(from old: Value, to new: Value, maximumElements: Int = 32) {
        lines = ValueComparison(maximumElements: maximumElements).compare(old, new, isOutermost: true)
    }

    /// The lines, joined by line breaks; empty if nothing differs.
    package var description: String { lines.map(\.description).joined(separator: "\n") }
}

/// Computes the lines of a ``ValueDifference``.
struct ValueComparison {
    typealias Line = ValueDifference.Line

    private let context: ValueContext
    /// Longer values are written over several lines.
    private static let widestLine = 72

    init(maximumElements: Int) {
        context = ValueContext(maximumElements: maximumElements)
    }

    /// Returns whether two values are equal, or show no difference if they cannot be compared.
    func areSame(_ old: Any, _ new: Any) -> Bool { Self.areEqual(old, new) ?? compare(old, new).isEmpty }

    /// - Returns: The lines; empty if nothing differs.
    func compare(
        _ old: Any,
        _ new: Any,
        label: String? = nil,
        depth: Int = 0,
        isOutermost: Bool = false
    ) -> [Line] {
        let areEqual = Self.areEqual(old, new)
        if areEqual == true { return [] }
        func replaced() -> [Line] { lines(of: old, label, depth, .removed) + lines(of: new, label, depth, .added) }
        var before = shape(of: old, isDescribed: !isOutermost)
        var after = shape(of: new, isDescribed: !isOutermost)
        if before.isRedacted && after.isRedacted {
            return areEqual == false ? replaced() : []
        }
        if let text = before.text, text == after.text {
            // Equal texts of values that are not equal: compare their members.
            before = shape(of: old, isDescribed: false)
            after = shape(of: new, isDescribed: false)
        }
        guard before.isAlike(after) else { return replaced() }
        var block = ValueDifferenceBlock(depth: depth + 1)
        for pair in ValueMatching(old: before, new: after, text: text).pairs {
            if let old = pair.old, let new = pair.new {
                block.add(compare(old.value, new.value, label: new.label, depth: depth + 1))
            } else if let old = pair.old {
                block.add(lines(of: old.value, old.label, depth + 1, .removed))
            } else if let new = pair.new {
                block.add(lines(of: new.value, new.label, depth + 1, .added))
            }
        }
        guard block.hasDifferences else {
            guard areEqual == false else { return [] }
            let text = "… (not equal, but no difference is visible)"
            return [Line(kind: .note, depth: depth, text: labelled(text, label))]
        }
        return [Line(kind: .same, depth: depth, text: labelled(before.opening, label))] + block.lines
            + [Line(kind: .same, depth: depth, text: before.closing)]
    }

    /// - Returns: Whether two values are equal; nil if they cannot be compared.
    static func areEqual(_ old: Any, _ new: Any) -> Bool? {
        func compare<Value: Equatable>(_ old: Value) -> Bool { (new as? Value) == old }
        if let old = old as? any Equatable { return compare(old) }
        guard type(of: old) is any AnyObject.Type else { return nil }
        return type(of: new) is any AnyObject.Type && old as AnyObject === new as AnyObject
    }

    private func shape(of value: Any, isDescribed: Bool) -> ValueShape {
        ValueShape(of: value, isDescribed: isDescribed, in: context)
    }

    private func text(of value: Any) -> String {
        ValueDescription.line(of: value, in: context)
    }

    private func labelled(_ text: String, _ label: String?) -> String {
        label.map { "\($0): \(text)" } ?? text
    }

    /// Returns the lines of a whole value that is part of one version only.
    private func lines(of value: Any, _ label: String?, _ depth: Int, _ kind: Line.Kind) -> [Line] {
        // Only as much text as decides whether it is too long, because its members are described again.
        var oneLine = context
        oneLine.maximumLength = Self.widestLine
        let line = labelled(ValueDescription.line(of: value, in: oneLine), label)
        let shape = ValueShape(of: value, in: context)
        guard line.count > Self.widestLine, shape.text == nil else {
            return [Line(kind: kind, depth: depth, text: line)]
        }
        var lines = [Line(kind: kind, depth: depth, text: labelled(shape.opening, label))]
        let members = shape.members.prefix(shape.kind == .record ? .max : context.maximumElements)
        for member in members {
            lines += self.lines(of: member.value, member.label, depth + 1, kind)
        }
        if members.count < shape.members.count {
            let text = "… (\(shape.members.count - members.count) more)"
            lines.append(Line(kind: kind, depth: depth + 1, text: text))
        }
        return lines + [Line(kind: kind, depth: depth, text: shape.closing)]
    }
}

/// The lines of the members of one value; unchanged members are counted.
private struct ValueDifferenceBlock {
    private let depth: Int
    private var changed: [ValueDifference.Line] = []
    private var unchanged = 0

    init(depth: Int) {
        self.depth = depth
    }

    var hasDifferences: Bool { !changed.isEmpty }

    /// - Parameter lines: The lines of one member; empty if it is unchanged.
    mutating func add(_ lines: [ValueDifference.Line]) {
        guard !lines.isEmpty else {
            unchanged += 1
            return
        }
        countUnchanged()
        changed += lines
    }

    var lines: [ValueDifference.Line] {
        var copy = self
        copy.countUnchanged()
        return copy.changed
    }

    private mutating func countUnchanged() {
        guard unchanged > 0 else { return }
        changed.append(ValueDifference.Line(kind: .note, depth: depth, text: "… (\(unchanged) unchanged)"))
        unchanged = 0
    }
}

/// Matches the members of one version of a value with those of another.
struct ValueMatching {
    typealias Member = ValueShape.Member
    typealias Pair = (old: Member?, new: Member?)

    /// In the order in which they are shown; the counterpart of an unmatched member is nil.
    let pairs: [Pair]

    /// Longer arrays are compared position by position where they differ.
    private static let longestMatched = 1_000

    /// - Parameter text: Describes a value in one line.
    init(old: ValueShape, new: ValueShape, text: (Any) -> String) {
        switch new.kind {
        case .record:
            pairs = Self.byIdentity(old.members, new.members) { $0.label ?? "" }
        // Not by the texts of keys and elements, because different ones can have the same text: those of all redactable
        // values.
        case .table:
            pairs = Self.byIdentity(old.members, new.members) {
                Self.hashable($0.key) ?? AnyHashable($0.label ?? "")
            }
        case .set:
            pairs = Self.byIdentity(old.members, new.members) {
                Self.hashable($0.value) ?? AnyHashable($0.text ?? "")
            }
        case .list:
            pairs = Self.inOrder(old.members, new.members) { old, new in
                ValueComparison.areEqual(old.value, new.value) ?? (text(old.value) == text(new.value))
            }
        }
    }

    /// - Returns: The value to compare by; nil if the value is not hashable. Elements that only the type's mirror shows
    ///   in a set may not be.
    private static func hashable(_ value: Any?) -> AnyHashable? {
        (value as? any Hashable).map { AnyHashable($0) }
    }

    /// Both lists have the same order, except that members with the same text may be in any order.
    ///
    /// - Complexity: O(*n*), where *n* is the number of members.
    private static func byIdentity(
        _ old: [Member],
        _ new: [Member],
        identity: (Member) -> AnyHashable
    ) -> [Pair] {
        let oldKeys = keys(old, identity)
        let newKeys = keys(new, identity)
        let places = Dictionary(uniqueKeysWithValues: zip(oldKeys, oldKeys.indices))
        let remaining = Set(newKeys)
        var pairs: [Pair] = []
        var next = 0
        for (key, member) in zip(newKeys, new) {
            guard let place = places[key] else {
                pairs.append((nil, member))
                continue
            }
            while next < place {
                if !remaining.contains(oldKeys[next]) { pairs.append((old[next], nil)) }
                next += 1
            }
            pairs.append((old[place], member))
            next = max(next, place + 1)
        }
        for place in next..<max(next, old.count) where !remaining.contains(oldKeys[place]) {
            pairs.append((old[place], nil))
        }
        return pairs
    }

    private struct Key: Hashable {
        let identity: AnyHashable
        /// Distinguishes members with the same identity, which a dictionary's values can have.
        let occurrence: Int
    }

    private static func keys(_ members: [Member], _ identity: (Member) -> AnyHashable) -> [Key] {
        var occurrences: [AnyHashable: Int] = [:]
        return members.map { member in
            let identity = identity(member)
            defer { occurrences[identity, default: 0] += 1 }
            return Key(identity: identity, occurrence: occurrences[identity, default: 0])
        }
    }

    private static func inOrder(_ old: [Member], _ new: [Member], isSame: (Member, Member) -> Bool) -> [Pair] {
        let head = zip(old, new).prefix { isSame($0, $1) }.count
        let tail = zip(old.dropFirst(head).reversed(), new.dropFirst(head).reversed()).prefix { isSame($0, $1) }.count
        let oldMiddle = Array(old[head..<(old.count - tail)])
        let newMiddle = Array(new[head..<(new.count - tail)])
        let middle =
            if max(oldMiddle.count, newMiddle.count) <= longestMatched {
                aligned(oldMiddle, newMiddle, newMiddle.difference(from: oldMiddle, by: isSame))
            } else {
                placeByPlace(oldMiddle, newMiddle)
            }
        return placeByPlace(Array(old.prefix(head)), Array(new.prefix(head))) + middle
            + placeByPlace(Array(old.suffix(tail)), Array(new.suffix(tail)))
    }

    private static func placeByPlace(_ old: [Member], _ new: [Member]) -> [Pair] {
        (0..<max(old.count, new.count)).map { place in
            (place < old.count ? old[place] : nil, place < new.count ? new[place] : nil)
        }
    }

    /// Pairs elements that were removed and inserted at the same position, as changed elements.
    private static func aligned(
        _ old: [Member],
        _ new: [Member],
        _ difference: CollectionDifference<Member>
    ) -> [Pair] {
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var pairs: [Pair] = []
        var oldRun: [Member] = []
        var newRun: [Member] = []
        var (oldPlace, newPlace) = (0, 0)
        while oldPlace < old.count || newPlace < new.count {
            if removed.contains(oldPlace) {
                oldRun.append(old[oldPlace])
                oldPlace += 1
            } else if inserted.contains(newPlace) {
                newRun.append(new[newPlace])
                newPlace += 1
            } else {
                pairs += placeByPlace(oldRun, newRun)
                (oldRun, newRun) = ([], [])
                pairs.append((old[oldPlace], new[newPlace]))
                oldPlace += 1
                newPlace += 1
            }
        }
        return pairs + placeByPlace(oldRun, newRun)
    }
}
