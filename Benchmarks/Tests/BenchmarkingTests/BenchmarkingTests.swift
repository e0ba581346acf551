import Testing

/// All tests in sequence, because allocations are counted for the whole process.
@Suite("Benchmarking", .serialized, .timeLimit(.minutes(10)))
enum BenchmarkingTests {}
