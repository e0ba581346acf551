/// Waits until the task is cancelled.
func untilCancelled() async {
    let never = AsyncStream<Void> { _ in }
    for await _ in never {}
}
