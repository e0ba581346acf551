/// An error that can say in one sentence what is wrong, for whoever runs the program.
protocol ExplainedError: Error {
    /// One line without a full stop, fit for standard error.
    var explanation: String { get }
}
