#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures `send` and `dispatch` beside the baselines, and checks the project's promises about them.
///
/// Exit status: 0 all is well, 2 the arguments are wrong, 4 a promise is broken.
@main
struct Bench {
    static let usage = """
        usage: bench [--quick]

          --quick   fewer and shorter rounds
        """

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("--help") { return print(usage) }
        guard arguments.allSatisfy({ $0 == "--quick" }) else {
            print(usage)
            exit(2)
        }
        let isQuick = !arguments.isEmpty
        // Off the main actor, to which every switch of executors would cost microseconds.
        let broken = await Task.detached { await run(isQuick: isQuick) }.value
        for promise in broken { print("BROKEN: \(promise)") }
        exit(broken.isEmpty ? 0 : 4)
    }

    /// - Returns: the promises that do not hold.
    @concurrent
    private static func run(isQuick: Bool) async -> [String] {
        let rounds = isQuick ? 5 : 15
        let actions = isQuick ? 80_000 : 400_000
        var broken: [String] = []
        for producers in [1, 8] {
            let suffix = producers == 1 ? "1 producer" : "\(producers) producers"
            let sent = await Comparison.run(
                "send, \(suffix)",
                subject: SendingStore(),
                producers: producers,
                actions: actions,
                rounds: rounds
            )
            print(Table(comparison: sent))
            let dispatched = await Comparison.run(
                "dispatch, \(suffix)",
                subject: DispatchingStore(),
                producers: producers,
                actions: actions,
                rounds: rounds
            )
            print(Table(comparison: dispatched))
            if producers == 1 {
                check("send is at least 20 times as fast as B3", sent.medianRatio(to: "B3"), atMost: 1 / 20, &broken)
                check("dispatch takes at most as long as B1", dispatched.medianRatio(to: "B1"), atMost: 1, &broken)
            }
        }
        return broken
    }

    private static func check(_ promise: String, _ ratio: Double?, atMost limit: Double, _ broken: inout [String]) {
        guard let ratio, ratio <= limit else { return broken.append(promise) }
    }
}
