/// The exit statuses of the program. The numbers are part of its usage text.
enum ProgramStatus: Int32, Sendable {
    case success = 0

    /// The audit found a violation, or the program could not run it.
    case failure = 1

    /// The arguments are not valid.
    case badInput = 2

    /// The demo was interrupted, as with Ctrl-C: 128 plus the number of the signal, as in shells.
    case interrupted = 130
}
