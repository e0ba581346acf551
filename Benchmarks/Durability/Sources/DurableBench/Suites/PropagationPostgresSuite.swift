import Benchmarking

/// Replicas of a store in separate processes, in a separate PostgreSQL server, with synchronous_commit=on.
let postgresPropagationSuite = Suite(
    "propagation Postgres",
    propagationBenchmarks(on: PostgresEngine.self, beside: "INSERT, NOTIFY and SELECT")
)
