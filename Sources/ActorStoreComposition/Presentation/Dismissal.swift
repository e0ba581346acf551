import ActorStore

/// Dismisses the presented child whose effect calls it; see ``DependencyValues/dismiss``.
public struct Dismissal: Sendable {
    private let body: @Sendable () -> SendOutcome?

    /// Creates a dismissal with another implementation, for a test.
    public init(_ body: @escaping @Sendable () -> SendOutcome) { self.body = body }

    /// Creates the dismissal of the calling effect's child.
    init() { body = { PresentationContext.dismiss() } }

    /// Dismisses the child. This cancels all effects of the child, including the one that calls this.
    ///
    /// An effect that runs on after the end of its child, because it is detached or outlives the child, does not
    /// dismiss a child that is presented in its place: the call is dropped, and counted in
    /// `StoreStatistics.lateActions`.
    ///
    /// - Parameters:
    ///   - fileID: The file of the caller, for diagnostics.
    ///   - line: The line of the caller, for diagnostics.
    /// - Returns: The outcome of sending the action that dismisses the child. If the child is not presented, or if this
    ///   is not called in an effect, an issue is reported, and the outcome is `SendOutcome.dropped`.
    @discardableResult
    public func callAsFunction(fileID: String = #fileID, line: UInt = #line) -> SendOutcome {
        if let outcome = body() { return outcome }
        StoreIssueReporter.report(
            "dismiss() was called outside an effect of a presented child. \(NotPresented())",
            fileID: fileID,
            line: line
        )
        return .dropped
    }
}

extension DependencyValues {
    /// Dismisses a child that is presented by `ifPresented`, or shown by a stack. Call it in an effect of the child:
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
    /// The `catch:` closure of that effect can call it, too. The parent receives the action that dismisses the child.
    /// If nothing has to be awaited, `Effect.dismiss(fileID:line:)` does the same.
    public var dismiss: Dismissal {
        get { self[DismissalKey.self] }
        set { self[DismissalKey.self] = newValue }
    }

    /// Whether the child whose reducer or effect reads this is presented by `ifPresented`, or shown by a stack, so that
    /// it can be dismissed.
    ///
    /// An effect of such a child that uses the store directly instead of its `Send` acts like any task with overrides
    /// around a dispatch: a reducer that happens to run in it reads true here. `Send.isPresented` is always that of the
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
