/// The exit statuses of the program. The numbers are part of its usage text.
enum ProgramStatus: Int32, Sendable {
    case success = 0

    /// The store's figures differ from those of the plain loop, or the replay could not finish.
    case failedCheck = 1

    /// The arguments or the file are not valid.
    case badInput = 2

    /// Standard output could not be written.
    case badOutput = 3

    /// The replay was interrupted, as with Ctrl-C: 128 plus the number of the signal, as in shells.
    case interrupted = 130
}
