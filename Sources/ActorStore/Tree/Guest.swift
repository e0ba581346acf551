/// One who observes through a child what lies in the memory of another store.
///
/// It is one of those whom that store tells, at the cost of any of them; but its observation ends with the child.
protocol Guest: AnyObject {
    /// In the turn.
    func end()
}

extension TreeNode {
    /// Takes in one whose observation ends with the node. In the turn.
    final func admit(_ guest: any Guest) {
        if isEnded { guest.end() } else { guests[ObjectIdentifier(guest)] = guest }
    }
}

/// A sequence's side of ``Guest``.
final class SequenceGuest<Element: Sendable>: Guest, Sendable {
    private let group: Broadcast<Element>
    private let slot: Slot<Element>

    init(_ group: Broadcast<Element>, _ slot: Slot<Element>) {
        self.group = group
        self.slot = slot
    }

    func end() { group.finish(slot) }
}

/// The time for which a sequence is a guest.
final class GuestStay: Sendable {
    private let guest: any Guest & Sendable
    private weak let host: TreeNode?

    init(of guest: any Guest & Sendable, at host: TreeNode) {
        self.guest = guest
        self.host = host
        host.root.inTurn { host.admit(guest) }
    }

    deinit {
        let guest = guest
        guard let host else { return }
        host.root.inTurn { host.guests[ObjectIdentifier(guest)] = nil }
    }
}

extension ClosureObserver: Guest {}
