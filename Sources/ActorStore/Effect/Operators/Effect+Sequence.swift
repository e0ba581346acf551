extension Effect {
    /// Follows an asynchronous sequence, and sends an action for each of its elements.
    ///
    /// ```swift
    /// return .sequence(id: "prices", policy: .cancelInFlight, market.prices(of: symbol)) { price in
    ///     .priceChanged(price)
    /// }
    /// ```
    ///
    /// The effect ends with the sequence, by an error of it, or when it is cancelled; then it takes no further element.
    ///
    /// - Parameters:
    ///   - id: Names the work; see ``run(id:policy:priority:fileID:line:_:catch:)``.
    ///   - policy: What happens if work with the same identity is still running.
    ///   - priority: The priority of its task; nil takes that of the dispatcher.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    ///   - sequence: What is followed. Iterated once each time that the effect runs.
    ///   - transform: Makes an action of an element, or nil to send none. The next element is asked for when it has
    ///     returned.
    ///   - failure: Makes an action of an error of the sequence or of `transform`, or nil to let it be. Without it,
    ///     errors go to ``Store/errors`` and to the ``StoreTask``.
    public static func sequence<S: AsyncSequence & Sendable>(
        id: (any Hashable & Sendable)? = nil,
        policy: EffectPolicy = .concurrent,
        priority: TaskPriority? = nil,
        fileID: String = #fileID,
        line: UInt = #line,
        _ sequence: S,
        _ transform: @escaping @Sendable (_ element: S.Element) async throws -> Action?,
        catch failure: (@Sendable (_ error: any Error) -> Action?)? = nil
    ) -> Effect {
        run(
            id: id,
            policy: policy,
            priority: priority,
            fileID: fileID,
            line: line,
            { send in
                var elements = sequence.makeAsyncIterator()
                // Looked at before an element is taken, which others may share: the action of the last one can have
                // cancelled this effect, of which its task learns later.
                while !CurrentEffect.isCancelled, let element = try await elements.next(isolation: #isolation) {
                    // There are sequences that do not end when their task is cancelled.
                    if CurrentEffect.isCancelled { return }
                    if let action = try await transform(element) { send(action) }
                }
            },
            catch: failure
        )
    }
}
