/// The reason why the command line is invalid.
enum ArgumentsError: ExplainedError, Equatable {
    case unknown(String)
    case missingValue(String)
    case repeated(String)
    case invalidDuration(String)
    case invalidWeather(String)

    var explanation: String {
        switch self {
        case .unknown(let argument):
            "unknown argument '\(argument.printable())'"
        case .missingValue(let name):
            "\(name) needs a value"
        case .repeated(let name):
            "\(name) is given twice"
        case .invalidDuration(let text):
            "--duration is '\(text.printable())'; it must be a number of seconds above 0 and at most 86400"
        case .invalidWeather(let text):
            "--weather is '\(text.printable())'; it must be one of \(WeatherOption.names)"
        }
    }
}
