/// A minute in UTC.
///
/// Hours are read from years 1 to 9999 and delays reach a year at most, so adding them cannot overflow.
struct BoardTime: Comparable, Sendable, CustomStringConvertible {
    /// Minutes since 1 January 1970.
    let minutes: Int

    init(minutes: Int) {
        self.minutes = minutes
    }

    /// Reads a whole hour such as `2013-01-01T10:00:00Z`.
    init(parsingHour bytes: ArraySlice<UInt8>) throws(FieldProblem) {
        let shape = Array("0000-00-00T00:00:00Z".utf8)
        guard bytes.count == shape.count else { throw .notHourInUTC }
        var digits: [Int] = []
        digits.reserveCapacity(14)
        for (byte, expected) in zip(bytes, shape) {
            if expected == UInt8(ascii: "0") {
                guard let digit = byte.digitValue else { throw .notHourInUTC }
                digits.append(digit)
            } else {
                guard byte == expected else { throw .notHourInUTC }
            }
        }
        let year = digits[0..<4].reduce(0) { $0 * 10 + $1 }
        let hour = digits[8] * 10 + digits[9]
        guard hour < 24, digits[10..<14].allSatisfy({ $0 == 0 }),
            let date = CivilDate(year: year, month: digits[4] * 10 + digits[5], day: digits[6] * 10 + digits[7])
        else { throw .notHourInUTC }
        minutes = (date.daysSinceEpoch * 24 + hour) * 60
    }

    static func < (left: BoardTime, right: BoardTime) -> Bool { left.minutes < right.minutes }

    /// The time that many minutes later, or earlier for a negative number.
    func advanced(by offset: Int) -> BoardTime { BoardTime(minutes: minutes + offset) }

    /// Such as `2013-01-01 10:05 UTC`.
    var description: String {
        let day = minutes.quotientRoundedDown(by: ClockTime.minutesInDay)
        let minuteOfDay = minutes - day * ClockTime.minutesInDay
        let date = CivilDate(daysSinceEpoch: day)
        let calendar = [date.year.padded(to: 4), date.month.padded(to: 2), date.day.padded(to: 2)]
        let clock = [(minuteOfDay / 60).padded(to: 2), (minuteOfDay % 60).padded(to: 2)]
        return calendar.joined(separator: "-") + " " + clock.joined(separator: ":") + " UTC"
    }
}

extension Int {
    /// Division that rounds towards minus infinity, so that minutes before 1970 fall into the day before.
    fileprivate func quotientRoundedDown(by divisor: Int) -> Int {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }

    /// The number padded with zeros.
    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
