import ActorStore

extension Effect {
    /// Returns an effect that dismisses the child whose reducer returns it: the nearest one that `ifPresented`
    /// presents, or that a stack shows.
    ///
    /// The parent receives the action that dismisses the child, like any other action. If the child is not presented, a
    /// `NotPresented` error reaches `Store.errors`.
    ///
    /// - Parameters:
    ///   - fileID: The file of the effect, for diagnostics.
    ///   - line: The line of the effect, for diagnostics.
    /// - Returns: An effect that dismisses the child.
    public static func dismiss(fileID: String = #fileID, line: UInt = #line) -> Effect {
        dismissal(at: CodeLocation(fileID: fileID, line: line))
    }
}

extension Send {
    /// Whether the effect belongs to a child that ``dismiss()`` can dismiss.
    public var isPresented: Bool { dismissal != nil }

    /// Dismisses the child whose effect this is: the nearest one that `ifPresented` presents, or that a stack shows.
    /// This cancels all effects of the child, including this one.
    ///
    /// An effect that runs on after the end of its child, because it is detached or outlives the child, does not
    /// dismiss a child that is presented in its place: the call is dropped, and counted in
    /// `StoreStatistics.lateActions`.
    ///
    /// - Returns: The outcome of sending the action that dismisses the child; `SendOutcome.dropped` if the child is not
    ///   presented.
    @discardableResult
    public func dismiss() -> SendOutcome { dismissal?() ?? .dropped }
}
