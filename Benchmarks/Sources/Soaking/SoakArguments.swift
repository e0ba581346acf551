/// The options of a soak's command line.
public struct SoakArguments: Sendable, Equatable {
    /// The duration.
    public var minutes = 1.0
    /// The seed of the random operations.
    public var seed: UInt64?
    /// Whether to print the usage, and do nothing else.
    public var showsHelp = false

    /// The length of a window, at whose end everything is quiescent and counted: ten seconds, or less in a short soak,
    /// so that there are enough points to detect growth of memory.
    public var windowLength: Duration { .seconds(min(10, max(1, minutes * 60 / 10))) }

    /// The usage of the program.
    public static let usage = """
        usage: soak [--minutes NUMBER] [--seed NUMBER]

        Does everything concurrently, at random, and checks continuously that nothing is lost, doubled, out of order, or left
        behind.

        exit status: 0 success, 1 a violation, 2 invalid arguments
        """

    /// Reads the words after the program's name.
    public init(_ words: [String]) throws(SoakArgumentsError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": showsHelp = true
            case "--minutes":
                guard let minutes = rest.popFirst().flatMap(Double.init), minutes > 0, minutes <= 100_000 else {
                    throw SoakArgumentsError("--minutes needs a number above 0, and at most 100000.")
                }
                self.minutes = minutes
            case "--seed":
                guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else {
                    throw SoakArgumentsError("--seed needs a whole number.")
                }
                self.seed = seed
            default: throw SoakArgumentsError("There is no option '\(word)'.")
            }
        }
    }
}

/// An error in a command line.
public struct SoakArgumentsError: Error, CustomStringConvertible {
    /// The error in words.
    public let description: String

    init(_ description: String) { self.description = description }
}
