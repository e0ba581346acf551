import Benchmarking

/// Replicas of a store in processes of their own, in a PostgreSQL server of its own, with synchronous_commit=on.
let postgresPropagationSuite = Suite(
    "propagation Postgres",
    propagationBenchmarks(on: PostgresEngine.self, beside: "INSERT, NOTIFY and SELECT")
)
