import Benchmarking

/// The benchmarks of the store. `bench --help` says what can be done with them.
@main
struct Bench {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var flights: String?
        if let index = arguments.firstIndex(of: "--input") {
            flights = index + 1 < arguments.count ? arguments[index + 1] : nil
            arguments.removeSubrange(index..<min(index + 2, arguments.count))
        }
        let suites = [
            dispatchSuite, reducerSuite, fanOutSuite, unaffectedSuite, groupSuite, latencySuite, snapshotSuite,
            effectSuite,
            memorySuite, manyStoresSuite, flightSuite(input: flights),
        ]
        await BenchmarkCommand(suites: suites, arguments: arguments).main()
    }
}
