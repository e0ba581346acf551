/// The reason why one field of a row is invalid.
enum FieldProblem: Error, Equatable {
    case notWholeNumber
    case outOfRange(ClosedRange<Int>)
    case notClockTime
    case notHourInUTC
    case noCode

    /// Follows "the field is …,".
    var explanation: String {
        switch self {
        case .notWholeNumber: "which is not a whole number"
        case .outOfRange(let range): "which is not between \(range.lowerBound) and \(range.upperBound)"
        case .notClockTime: "which is not a time of day such as 517 or 2359"
        case .notHourInUTC: "which is not a whole hour in UTC such as 2013-01-01T10:00:00Z"
        case .noCode: "where a code is needed"
        }
    }
}
