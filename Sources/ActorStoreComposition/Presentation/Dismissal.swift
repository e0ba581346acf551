import ActorStore

/// Takes the child away whose effect calls it, if the child is presented; see ``DependencyValues/dismiss``.
public struct Dismissal: Sendable {
    private let body: @Sendable () -> SendOutcome?

    /// Creates one that does something else, for a test.
    public init(_ body: @escaping @Sendable () -> SendOutcome) { self.body = body }

    /// The one of whoever calls it.
    init() { body = { PresentationContext.dismiss() } }

    /// Dismisses the child, which cancels the effect that calls this, like all of the child's.
    ///
    /// An effect that goes on after the end of its child, because it is detached or outlives the child, dismisses no
    /// other child that is presented in its place: that is dropped, and counted in `StoreStatistics.lateActions`.
    ///
    /// - Returns: what became of the action that says so. If nobody presents the child, or if this is not called in an
    ///   effect, an issue is reported, and it is `SendOutcome.dropped`.
    @discardableResult
    public func callAsFunction(fileID: String = #fileID, line: UInt = #line) -> SendOutcome {
        if let outcome = body() { return outcome }
        StoreIssueReporter.report(
            "Nobody presents the child that is dismissed here, or it is not in an effect. \(NotPresented())",
            fileID: fileID,
            line: line
        )
        return .dropped
    }
}

extension DependencyValues {
    /// Takes a child away that is presented by `ifPresented`, or shown by a stack. It is called in an effect of the
    /// child:
    ///
    /// ```swift
    /// struct Details: Reducer {
    ///     @Dependency(\.dismiss) var dismiss
    ///     …
    ///         return .run { _ in
    ///             try await saver.save()
    ///             dismiss()
    ///         }
    /// ```
    ///
    /// What makes an action of an error of that effect, its `catch:`, can call it as well. The parent gets the action
    /// that says so. Where nothing has to be awaited, `Effect.dismiss(fileID:line:)` does the same.
    public var dismiss: Dismissal {
        get { self[DismissalKey.self] }
        set { self[DismissalKey.self] = newValue }
    }

    /// Whether the child whose reducer or effect asks is presented by `ifPresented`, or shown by a stack, so that it
    /// can be dismissed.
    ///
    /// An effect of such a child that uses the store itself, and not its `Send`, is like any task with overrides
    /// around a dispatch: reducers that happen to run in it find this true. `Send.isPresented` is always that of the
    /// effect.
    public var isPresented: Bool {
        get { self[PresenceKey.self] }
        set { self[PresenceKey.self] = newValue }
    }
}

private enum DismissalKey: DependencyKey {
    static var liveValue: Dismissal { Dismissal() }
    static var testValue: Dismissal { Dismissal() }
}

private enum PresenceKey: DependencyKey {
    static var liveValue: Bool { PresentationContext.isPresented }
    static var testValue: Bool { PresentationContext.isPresented }
}
