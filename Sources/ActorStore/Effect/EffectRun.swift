/// The task of one piece of effect work. It does not keep the store alive.
struct EffectRun<Host: EffectHost>: Sendable {
    private weak let host: Host?
    private let job: EffectJob<Host.Action>

    init(host: Host, job: EffectJob<Host.Action>) {
        self.host = host
        self.job = job
    }

    nonisolated func callAsFunction() async {
        var failure: (any Error)?
        if await mayBegin(), let work = job.work {
            failure = await run(work)
        }
        await end(failure)
    }

    /// - Returns: whether the work is to be done, after what it had to wait for.
    private nonisolated(nonsending) func mayBegin() async -> Bool {
        guard let wait = job.wait else { return !job.isCancelled }
        if !job.isCancelled { await wait() }
        return job.endWaiting()
    }

    /// - Returns: the error that it threw and that no one made an action of.
    private nonisolated(nonsending) func run(_ work: EffectWork<Host.Action>) async -> (any Error)? {
        let job = job
        let send = Send<Host.Action> { [weak host] action in
            host?.sendFeedback(action, from: job) ?? .refused(.shutDown)
        }
        do {
            try await EffectHandle.$current.withValue(job) { try await work.body(send) }
            return nil
        } catch {
            // What a cancelled effect throws is the consequence of its cancellation, and no news to anybody.
            guard !job.isCancelled else { return nil }
            guard let failure = work.failure else { return error }
            if let action = failure(error) { send(action) }
            return nil
        }
    }

    /// Does what is to be done when the work is done: only if something depends on it in a turn, because the store may
    /// be busy.
    private nonisolated(nonsending) func end(_ failure: (any Error)?) async {
        if job.plan == nil { job.end() }
        if let host {
            host.root.runningEffects.subtract(1, ordering: .relaxed)
            if failure != nil || job.concernsOthers {
                await host.finish(job, failure: failure)
            } else if job.join() {
                host.settleSoon()
            }
        }
        job.releaseContent()
        job.tracker.end(job, failure: failure)
    }
}
