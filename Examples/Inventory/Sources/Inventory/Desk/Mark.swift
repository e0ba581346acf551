import Synchronization

/// Whether something has happened; once it has, it stays so.
final class Mark: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
