import Benchmarking

/// Durable stores in a separate PostgreSQL server, with synchronous_commit=on.
let postgresSuite = Suite(
    "durable Postgres",
    dispatchBenchmarks(beside: PlainPostgres.self, pipeline: "a pipeline of as many as there are tasks")
        + recoveryBenchmarks(beside: PlainPostgres.self)
        + stallBenchmarks(on: PostgresEngine.self)
)
