import Benchmarking

/// Replicas of a store in separate processes, in a separate Redis server, with appendfsync always.
let redisPropagationSuite = Suite(
    "propagation Redis",
    propagationBenchmarks(on: RedisEngine.self, beside: "XADD and blocking XREAD")
)
