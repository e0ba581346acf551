import Benchmarking
import Propagation

/// The benchmarks of durable stores, beside the client libraries of the same databases.
@main
struct DurableBench {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        if words.first == ObserverTask.command { await ObserverCommand.run(Array(words.dropFirst())) }
        await BenchmarkCommand(
            suites: [sqliteSuite, postgresSuite, redisSuite, postgresPropagationSuite, redisPropagationSuite],
            pagesCommand: "Perf/durability"
        )
        .main()
    }
}
