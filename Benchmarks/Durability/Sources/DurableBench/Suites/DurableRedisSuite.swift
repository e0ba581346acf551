import Benchmarking

/// Durable stores in a separate Redis server, with appendfsync always.
let redisSuite = Suite(
    "durable Redis",
    dispatchBenchmarks(beside: PlainRedis.self, pipeline: "a pipeline of as many as there are tasks")
        + recoveryBenchmarks(beside: PlainRedis.self)
        + stallBenchmarks(on: RedisEngine.self)
)
