/// The intervals of the throttle of one identity, and what waits for the end of one. A plain value.
struct EffectThrottle {
    var window: ThrottleWindow
    /// What waits for the end of the interval, or has waited for it, and has not been settled since.
    var waiting: EffectJob?

    /// Whether it can be forgotten.
    var isOver: Bool { waiting == nil && window.isOver }

    /// What waits, if it gives way to a request: always to one that takes the latest. To another one only if that may begin
    /// now by its own interval, and the time of what waits has not come: then it is about to begin, however late that is.
    func yielding(to interval: Duration, latest: Bool) -> EffectJob? {
        guard let waiting, let ownInterval = waiting.timing?.interval else { return nil }
        return latest || window.isOver(after: interval) && !window.isOver(after: ownInterval) ? waiting : nil
    }

    /// Counts from when that began which has waited, unless it was cancelled before that.
    mutating func settle() {
        guard let job = waiting, !job.isWaiting else { return }
        if !job.gaveUpWaiting, let sinceBeginning = job.sinceBeginning {
            window.begin(before: sinceBeginning.elapsed())
        }
        waiting = nil
    }
}
