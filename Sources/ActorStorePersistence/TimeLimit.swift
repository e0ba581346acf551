import ActorStore

/// Runs an operation, and returns its result or, after the time limit, that of another closure. The operation then
/// continues, and is not awaited. It is not cancelled with the calling task.
func withTimeLimit<Result: Sendable>(
    _ limit: Duration?,
    on clock: any Clock<Duration>,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable () async -> Result,
    whenOver end: @escaping @Sendable () -> Result
) async -> Result {
    guard let limit else { return await Task { await body() }.value }
    let result = Promise<Result>()
    let timer = Task {
        do {
            try await clock.sleep(for: limit.boundedWait)
            result.settle(end())
        } catch {}
    }
    Task {
        result.settle(await body())
        timer.cancel()
    }
    return await result.wait()
}

/// Retries an operation, after increasing delays, until it succeeds or the time limit has passed.
func tryAgain(for limit: Duration, _ isDone: () async -> Bool) async {
    let start = ContinuousClock.now
    var wait = Duration.milliseconds(10)
    while await !isDone(), ContinuousClock.now - start < limit {
        try? await Task.sleep(for: wait)
        wait = min(wait * 2, .seconds(1))
    }
}
