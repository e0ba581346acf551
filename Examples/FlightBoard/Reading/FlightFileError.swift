/// The reason why a file's content is not a list of flights.
enum FlightFileError: ExplainedError, Equatable {
    case empty(path: String)
    case notCSV(path: String, CSVError)
    case missingColumns(path: String, line: Int, names: [String])
    case repeatedColumn(path: String, line: Int, name: String)
    case fieldCount(path: String, line: Int, expected: Int, found: Int)
    case badField(path: String, line: Int, column: String, text: String, FieldProblem)

    var explanation: String {
        switch self {
        case .empty(let path):
            "'\(path.printable(limit: 500))' is empty; its first line must name the columns"
        case .notCSV(let path, let error):
            Self.place(path, error.line) + error.explanation
        case .missingColumns(let path, let line, let names):
            Self.place(path, line) + "the header has no column "
                + names.map { "'\($0)'" }.joined(separator: ", ")
        case .repeatedColumn(let path, let line, let name):
            Self.place(path, line) + "the header names the column '\(name)' twice"
        case .fieldCount(let path, let line, let expected, let found):
            Self.place(path, line)
                + "the row has \(found) \(found == 1 ? "field" : "fields"), the header has \(expected)"
        case .badField(let path, let line, let column, let text, let problem):
            Self.place(path, line)
                + "\(column) is \(text.isEmpty ? "empty" : "'\(text.printable())'"), \(problem.explanation)"
        }
    }

    private static func place(_ path: String, _ line: Int) -> String {
        "'\(path.printable(limit: 500))', line \(line): "
    }
}
