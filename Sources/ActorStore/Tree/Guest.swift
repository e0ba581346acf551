/// One who observes through a child, or an element of a collection, what lies elsewhere: in the memory of another store, or
/// the actions of one.
///
/// It is one of those whom that store tells, at the cost of any of them; but its observation ends with the child, or the
/// element.
protocol Guest: AnyObject {
    /// In the turn.
    func end()
}

extension StateSource {
    /// Takes in one whose observation ends with this. In the turn.
    final func admit(_ guest: any Guest) {
        if isFinished { guest.end() } else { guests[ObjectIdentifier(guest)] = guest }
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
    private weak let host: StateSource?

    init(of guest: any Guest & Sendable, at host: StateSource) {
        self.guest = guest
        self.host = host
        host.tree.inTurn { host.admit(guest) }
    }

    deinit {
        let guest = guest
        guard let host else { return }
        host.tree.inTurn { host.guests[ObjectIdentifier(guest)] = nil }
    }
}

extension ClosureObserver: Guest {}
