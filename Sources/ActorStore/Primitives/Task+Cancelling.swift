extension Task {
    /// Cancels the task in a background task: its cancellation handlers are user code, which may take long, or wait for
    /// a lock that the caller holds. Of a high priority, because tasks that go on until they are cancelled must not
    /// keep it waiting.
    package func cancelInBackground(on executor: (any TaskExecutor)? = nil) {
        Task<Void, Never>.detached(executorPreference: executor, priority: .high) { cancel() }
    }
}
