/// The options of the command line.
enum Arguments: Equatable, Sendable {
    case demo(DemoArguments)
    case desk(DeskArguments)
    case help

    /// Reads the arguments that follow the program's name.
    init(parsing arguments: [String]) throws(ArgumentsError) {
        if arguments.contains("--help") || arguments.contains("-h") {
            self = .help
        } else if arguments.first == "desk" {
            let options = try Options(
                arguments.dropFirst(),
                names: ["--name", "--log", "--engine", "--port", "--seed"]
            )
            self = .desk(try DeskArguments(options))
        } else {
            let rest = arguments.first == "demo" ? arguments.dropFirst() : arguments[...]
            let options = try Options(rest, names: ["--engine", "--kills", "--seed"])
            self = .demo(try DemoArguments(options))
        }
    }

    /// The text of `--help`.
    static let usage = """
        Usage: inventory [demo] [--engine ENGINE] [--kills N] [--seed N]
               inventory desk --name NAME --log PATH [--engine ENGINE] --port N [--seed N]

        demo starts a server and two desks that take orders, kills one of the three again
        and again with SIGKILL, and starts it again; then it looks for what is lost.

          --engine ENGINE what keeps the stock: redis or postgres (default: redis)
          --kills N       how often something is killed, 0 to 10000 (default: 12)
          --seed N        decides whom it hits, and when (default: another one each time)

        desk is one of these desks. It goes on until its standard input ends.

          --name NAME     its name, the same each time, of letters and digits
          --log PATH      the file with its orders
          --engine ENGINE what keeps the stock: redis or postgres (default: redis)
          --port N        where that server listens on the loopback interface
          --seed N        decides what its customers want (default: 1)

        Exit status:
          0  nothing was lost, and everything agrees
          1  something was, or the demo could not find out
          2  the arguments are not valid
          130  interrupted (Ctrl-C)
        """
}
