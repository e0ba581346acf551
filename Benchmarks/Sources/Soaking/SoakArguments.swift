/// What the command line of a soak asks for.
public struct SoakArguments: Sendable, Equatable {
    /// How long it lasts.
    public var minutes = 1.0
    /// What it does at random depends on it.
    public var seed: UInt64?
    /// Prints how it is used, and does nothing else.
    public var showsHelp = false

    /// How long a window is, at whose end everything comes to rest and is counted: ten seconds, or less in a short
    /// soak, so that there are enough moments of rest to tell whether memory grows.
    public var windowLength: Duration { .seconds(min(10, max(1, minutes * 60 / 10))) }

    /// How the program is used.
    public static let usage = """
        usage: soak [--minutes NUMBER] [--seed NUMBER]

        Does everything at once, at random, and checks all the time that nothing is lost, doubled, out of order, or left behind.

        exit status: 0 all is well, 1 something was wrong, 2 the arguments are wrong
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

/// What is wrong with a command line.
public struct SoakArgumentsError: Error, CustomStringConvertible {
    /// It in words.
    public let description: String

    init(_ description: String) { self.description = description }
}
