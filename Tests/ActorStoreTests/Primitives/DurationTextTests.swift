import Testing

@testable import ActorStore

@Suite("Durations in messages", .timeLimit(.minutes(10)))
struct DurationTextTests {
    @Test(
        "A duration is shown in seconds, rounded to milliseconds",
        arguments: [
            (.zero, "0.0 seconds"), (.seconds(5), "5.0 seconds"), (.milliseconds(1), "0.001 seconds"),
            (.nanoseconds(7_417_427_333), "7.417 seconds"), (.nanoseconds(999_500_000), "1.0 seconds"),
            (.milliseconds(-250), "-0.25 seconds"), (.microseconds(499), "0.0 seconds"),
            (Duration(attoseconds: .max), "170141183460469231731.687 seconds"),
        ] as [(Duration, String)]
    )
    func text(_ duration: Duration, _ expected: String) {
        #expect(duration.secondsText == expected)
    }
}
