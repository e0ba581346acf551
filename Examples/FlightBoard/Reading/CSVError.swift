/// The reason why bytes are not comma-separated values; each case has the line, counted from 1.
enum CSVError: ExplainedError, Equatable {
    case notUTF8(line: Int)
    case unterminatedQuote(line: Int)
    case quoteInsideField(line: Int)
    case textAfterQuote(line: Int)

    /// The line where the error begins: that of the opening quote for one that never closes.
    var line: Int {
        switch self {
        case .notUTF8(let line), .unterminatedQuote(let line), .quoteInsideField(let line), .textAfterQuote(let line):
            line
        }
    }

    var explanation: String {
        switch self {
        case .notUTF8: "the text is not valid UTF-8"
        case .unterminatedQuote: "a quote is opened here and never closed"
        case .quoteInsideField: "a quote stands inside a field that is not quoted"
        case .textAfterQuote: "there is text between a closing quote and the next comma"
        }
    }
}
