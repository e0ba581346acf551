import Benchmarking

/// Replicas of a store in processes of their own, in a Redis server of its own, with appendfsync always.
let redisPropagationSuite = Suite(
    "propagation Redis",
    propagationBenchmarks(on: RedisEngine.self, beside: "XADD and blocking XREAD")
)
