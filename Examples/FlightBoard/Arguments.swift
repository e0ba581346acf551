/// The options of the command line.
struct Arguments: Equatable, Sendable {
    /// The file to replay; by default the included January file.
    var inputPath: String?
    /// Print one JSON object instead of the board and the table.
    var printsJSON = false
    /// Print the usage and do nothing else.
    var showsHelp = false
    /// The duration of the replay; as fast as possible if nil.
    var durationInSeconds: Double?
    /// The weather service of late airports.
    let weather: WeatherOption

    /// The longest allowed replay: a day.
    static let longestDuration = 86_400.0

    /// Reads the arguments that follow the program's name.
    init(parsing arguments: [String]) throws(ArgumentsError) {
        var remaining = arguments[...]
        var weather: WeatherOption?
        while let argument = remaining.popFirst() {
            let (name, attached) = Self.split(argument)
            switch (name, attached) {
            case ("--help", nil), ("-h", nil):
                showsHelp = true
            case ("--json", nil):
                printsJSON = true
            case ("--input", _):
                guard inputPath == nil else { throw .repeated(name) }
                inputPath = try Self.value(of: name, attached: attached, following: &remaining)
            case ("--duration", _):
                guard durationInSeconds == nil else { throw .repeated(name) }
                let text = try Self.value(of: name, attached: attached, following: &remaining)
                guard let seconds = Double(text), seconds > 0, seconds <= Self.longestDuration else {
                    throw .invalidDuration(text)
                }
                durationInSeconds = seconds
            case ("--weather", _):
                guard weather == nil else { throw .repeated(name) }
                let text = try Self.value(of: name, attached: attached, following: &remaining)
                guard let option = WeatherOption(rawValue: text) else { throw .invalidWeather(text) }
                weather = option
            default:
                throw .unknown(argument)
            }
        }
        self.weather = weather ?? .flaky
    }

    /// Separates `--name=value`; anything else is a name alone.
    private static func split(_ argument: String) -> (name: String, value: String?) {
        guard argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
    }

    /// The value attached to an option, or the argument after it. Another option is not a value.
    private static func value(
        of name: String,
        attached: String?,
        following remaining: inout ArraySlice<String>
    ) throws(ArgumentsError) -> String {
        if let attached {
            guard !attached.isEmpty else { throw .missingValue(name) }
            return attached
        }
        guard let next = remaining.first, !next.isEmpty, !next.hasPrefix("--") else { throw .missingValue(name) }
        remaining.removeFirst()
        return next
    }

    /// The text of `--help`.
    static let usage = """
        Usage: flightboard [--input PATH] [--duration SECONDS] [--weather STATE] [--json]

        Replays real flights through a tree of stores: one task for each airport of
        origin dispatches its departures and arrivals in order of time, observers
        follow, and the figures are compared with a plain loop over the same file. What
        effects wait for takes its time on the clock of the board: a late airport asks
        a simulated service for its weather, and people are told of its delay.

        Options:
          --input PATH        replay this CSV file (default: January 2013, included)
          --duration SECONDS  spread the replay over this time (default: as fast as it can)
          --weather STATE     how well the weather service does its work: reliable, flaky,
                              or down; off for none (default: flaky)
          --json              print one JSON object and nothing else
          -h, --help          print this text

        Exit status:
          0  the store's figures equal those of the plain loop
          1  they differ, or the replay could not finish
          2  the arguments or the file are not valid
          3  standard output could not be written
          130  interrupted (Ctrl-C); the figures are those up to then

        """
}
