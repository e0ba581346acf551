import Benchmarking

/// The benchmarks of durable stores, beside the client libraries of the same databases.
@main
struct DurableBench {
    static func main() async {
        await BenchmarkCommand(suites: [sqliteSuite, postgresSuite, redisSuite], pagesCommand: "Perf/durability").main()
    }
}
