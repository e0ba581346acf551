/// Finds which member of one version of a value corresponds to which of another.
struct ValueMatching {
    typealias Member = ValueShape.Member
    typealias Pair = (old: Member?, new: Member?)

    /// In the order in which they are shown; a member without a counterpart stands alone.
    let pairs: [Pair]

    /// Arrays longer than this are compared place by place where they differ.
    private static let longestMatched = 1_000

    /// - Parameter text: describes a value in one line.
    init(old: ValueShape, new: ValueShape, text: (Any) -> String) {
        switch new.kind {
        case .record:
            pairs = Self.byIdentity(old.members, new.members) { $0.label ?? "" }
        // Not by the texts of keys and elements, because those of different ones can be the same: all that are
        // redactable.
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

    /// - Returns: nil if a value is not hashable, as an element can be that only its type's mirror shows in a set.
    private static func hashable(_ value: Any?) -> AnyHashable? {
        (value as? any Hashable).map { AnyHashable($0) }
    }

    /// Both are in the same order, except that members with the same text may be in any.
    ///
    /// - Complexity: O(*n*)
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
        /// Tells members with the same identity apart, as there can be among a dictionary's values.
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

    /// Takes elements that were removed and inserted at the same place as ones that changed.
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
