import Benchmarking

/// Durable stores in a file, by SQLite: a write-ahead log with synchronous=FULL.
let sqliteSuite = Suite(
    "durable SQLite",
    dispatchBenchmarks(beside: PlainSQLite.self, pipeline: "one transaction for as many as there are tasks")
        + recoveryBenchmarks(beside: PlainSQLite.self)
        + stallBenchmarks(on: SQLiteEngine.self)
)
