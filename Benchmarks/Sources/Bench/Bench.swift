import Benchmarking
import Foundation

/// The benchmarks of the store. `bench --help` prints its commands; `--input PATH` makes the suite `flights` read
/// another file than FlightBoard's included month.
@main
struct Bench {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var flights: String?
        if let index = arguments.firstIndex(of: "--input") {
            guard index + 1 < arguments.count else {
                print("bench: --input needs the path of a file in the format of FlightBoard's.")
                exit(64)
            }
            flights = arguments[index + 1]
            arguments.removeSubrange(index...index + 1)
        }
        let suites = [
            dispatchSuite, reducerSuite, compositionSuite, fanOutSuite, unaffectedSuite, groupSuite, latencySuite,
            snapshotSuite, effectSuite, requestSuite, interceptionSuite, commandSuite,
            realisticStoreSuite, tailLatencySuite, pauseSuite, overloadSuite, coldStartSuite,
            memorySuite, manyStoresSuite, flightSuite(input: flights),
            tableSuite, treeSuite, storeTreeSuite, storeGroupSuite,
        ]
        await BenchmarkCommand(suites: suites, arguments: arguments).main()
    }
}
