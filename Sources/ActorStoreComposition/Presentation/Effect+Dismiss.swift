import ActorStore

extension Effect {
    /// Takes the child away whose reducer asks for it: the nearest one that `ifPresented` presents, or that a stack
    /// shows.
    ///
    /// The parent gets the action that says so, like any other. If nobody presents the child, a `NotPresented` reaches
    /// `Store.errors`.
    ///
    /// - Parameters:
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public static func dismiss(fileID: String = #fileID, line: UInt = #line) -> Effect {
        dismissal(at: CodeLocation(fileID: fileID, line: line))
    }
}

extension Send {
    /// Whether the reducer whose effect this is belongs to a child that ``dismiss()`` takes away.
    public var isPresented: Bool { dismissal != nil }

    /// Takes the child away whose effect this is: the nearest one that `ifPresented` presents, or that a stack shows.
    /// By that the effect is cancelled, like all of the child's.
    ///
    /// An effect that goes on after the end of its child, because it is detached or outlives the child, dismisses no
    /// other child that is presented in its place: that is dropped, and counted in `StoreStatistics.lateActions`.
    ///
    /// - Returns: what became of the action that says so; `SendOutcome.dropped` if nobody presents the child.
    @discardableResult
    public func dismiss() -> SendOutcome { dismissal?() ?? .dropped }
}
