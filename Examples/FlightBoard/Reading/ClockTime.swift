/// A local time of day in the notation of these files: `517` is 5:17, and `2400` is midnight at the end of the day.
struct ClockTime: Equatable, Sendable {
    static let minutesInDay = 24 * 60

    /// Minutes since midnight, 0 to 1440.
    let minutes: Int

    /// Reads `HMM` or `HHMM`.
    init(parsing bytes: ArraySlice<UInt8>) throws(FieldProblem) {
        let number: Int
        do {
            number = try WholeNumber.parse(bytes, in: 0...2400)
        } catch {
            throw .notClockTime
        }
        guard number % 100 < 60 else { throw .notClockTime }
        minutes = number / 100 * 60 + number % 100
    }

    /// Reads a time, or nil for `NA`.
    static func parseIfAvailable(_ bytes: ArraySlice<UInt8>) throws(FieldProblem) -> ClockTime? {
        WholeNumber.isNotAvailable(bytes) ? nil : try ClockTime(parsing: bytes)
    }

    /// Minutes until another time of day, on the next day if it is earlier. Time zones are ignored.
    func minutes(until later: ClockTime) -> Int {
        (later.minutes - minutes + Self.minutesInDay) % Self.minutesInDay
    }
}
