/// What a store of a tree has to do that is not the root: the mailbox, which is the root's, does not know its actions.
@usableFromInline
final class ForwardedMessage: @unchecked Sendable {
    // Sound: both closures are called in the turn, or by whoever took the message out of the mailbox, and at most one
    // of them, once.
    @usableFromInline let weight: Int
    /// The priority of the task that waits for it; 0 if none does.
    @usableFromInline let priority: UInt8
    private let reading: () -> Answer?
    private let refusal: (StoreError) -> Void

    /// - Parameters:
    ///   - weight: For how many actions it counts in the mailbox.
    ///   - priority: The priority of the task that waits for it; 0 if none does.
    ///   - read: Does it, in the turn, while nothing is written. It returns the answer, for one who waits for it.
    ///   - refuse: Tells one who waits for it that it will not be done.
    @usableFromInline
    init(
        weight: Int,
        priority: UInt8 = 0,
        read: @escaping () -> Answer?,
        refuse: @escaping (StoreError) -> Void = { _ in }
    ) {
        self.weight = weight
        self.priority = priority
        reading = read
        refusal = refuse
    }

    @usableFromInline
    func read() -> Answer? { reading() }

    @usableFromInline
    func refuse(_ error: StoreError) { refusal(error) }
}
