import Testing

@testable import FlightBoard

@Suite("Dates and times")
struct CivilDateTests {
    @Test(
        "Days are counted from 1 January 1970",
        arguments: [
            (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2013, 1, 1, 15_706), (1, 1, 1, -719_162),
            (9999, 12, 31, 2_932_896),
        ]
    )
    func knownDays(year: Int, month: Int, day: Int, number: Int) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        #expect(date.daysSinceEpoch == number)
        #expect(CivilDate(daysSinceEpoch: number) == date)
    }

    @Test("Numbers and days match over four centuries, leap days included")
    func roundTrip() {
        var previous = CivilDate(daysSinceEpoch: -200_000)
        for number in -199_999 ... -53_903 {
            let date = CivilDate(daysSinceEpoch: number)
            #expect(date.daysSinceEpoch == number && date != previous)
            previous = date
        }
    }

    @Test(
        "Days that no calendar has are refused",
        arguments: [(2013, 2, 29), (1900, 2, 29), (2013, 4, 31), (2013, 13, 1), (2013, 0, 1), (2013, 1, 0), (0, 1, 1)]
    )
    func impossibleDays(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test("Minutes before 1970 are shown on the right day")
    func beforeEpoch() {
        #expect(BoardTime(minutes: 0).description == "1970-01-01 00:00 UTC")
        #expect(BoardTime(minutes: -1).description == "1969-12-31 23:59 UTC")
        #expect(BoardTime(minutes: -1_440).description == "1969-12-31 00:00 UTC")
    }
}
