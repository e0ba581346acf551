/// One way to do the work, to be measured side by side with others.
protocol Contender: Sendable {
    /// How it is called in reports.
    var name: String { get }
    /// Does one operation.
    nonisolated(nonsending) func perform(_ action: Account.Action) async
    /// Waits until all that was begun is done, and tells how many actions have been reduced.
    nonisolated(nonsending) func finish() async -> Int
}
