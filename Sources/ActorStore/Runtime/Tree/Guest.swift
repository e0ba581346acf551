/// One who observes through a child, or an element of a collection, what lies elsewhere: in the memory of another store, or
/// the actions of one.
///
/// It is one of those whom that store tells, at the cost of any of them; but its observation ends with the child, or the
/// element. ``Retainer`` is another kind.
protocol Guest: AnyObject {
    /// In the turn.
    func end()
}

/// A source of state through which others observe what lies elsewhere: a store, or an element of a collection.
@usableFromInline
protocol GuestHost: StateSource {
    /// The tree that it is a part of.
    var root: TreeRoot { get }
    /// Those whose observations end with it. In the turn.
    var guests: GuestList { get set }
}

extension GuestHost {
    /// Takes in one that ends with this. In the turn.
    func admit(_ guest: any Guest) {
        if isFinished { guest.end() } else { guests.insert(guest, number: root.nextGuestNumber()) }
    }

    /// Forgets one that has gone. In the turn.
    func remove(_ guest: any Guest) { if !guests.isEmpty { guests.remove(guest) } }

    /// Ends all of them. In the turn.
    func endGuests() {
        if guests.isEmpty { return }
        for guest in guests.removeAll() { guest.end() }
    }
}

/// The guests of a source of state.
@usableFromInline
struct GuestList {
    private var guests: [ObjectIdentifier: (number: UInt64, guest: any Guest)] = [:]

    var isEmpty: Bool { guests.isEmpty }

    mutating func insert(_ guest: any Guest, number: UInt64) { guests[ObjectIdentifier(guest)] = (number, guest) }

    mutating func remove(_ guest: any Guest) { guests[ObjectIdentifier(guest)] = nil }

    /// Takes all out, in the order in which they came.
    mutating func removeAll() -> [any Guest] {
        defer { guests = [:] }
        return guests.values.sorted { $0.number < $1.number }.map(\.guest)
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

/// The time for which something is a guest.
final class GuestStay: Sendable {
    private let guest: any Guest & Sendable
    private weak let host: (any GuestHost)?

    init(of guest: any Guest & Sendable, at host: any GuestHost) {
        self.guest = guest
        self.host = host
    }

    /// In the turn.
    func begin() { host?.admit(guest) }

    deinit {
        let guest = guest
        guard let host else { return }
        host.root.inTurn { host.dismiss(guest) }
    }
}

extension ClosureObserver: Guest {}
