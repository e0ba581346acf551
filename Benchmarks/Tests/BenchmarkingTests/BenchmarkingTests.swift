import Testing

/// All tests, one after the other, because allocations are counted for the whole process.
@Suite("Benchmarking", .serialized, .timeLimit(.minutes(10)))
enum BenchmarkingTests {}
