/// An error with a one-sentence explanation for the user of the program.
protocol ExplainedError: Error {
    /// One line without a full stop, fit for standard error.
    var explanation: String { get }
}
