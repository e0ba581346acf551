/// What the program tells its caller. The numbers are part of its usage text.
enum ProgramStatus: Int32, Sendable {
    case success = 0

    /// Something does not hold, or the program could not find out.
    case failure = 1

    /// The arguments are not valid.
    case badInput = 2

    /// Somebody interrupted the demo, as with Ctrl-C: 128 and the number of the signal, as shells have it.
    case interrupted = 130
}
