/// What an ``EffectMachine`` has decided: a plain value, for the store to do.
struct EffectOutput {
    /// Tasks to start.
    var starts = PendingJobs()
    /// Actions to put into the mailbox.
    var replies: [EffectReply] = []
    /// What reducers report.
    var failures: [StoreFailure] = []
    /// What has ended, and whose end is to be told.
    var ends = ShortList<EffectTracker>()
    /// What work waits for that may begin now.
    var gates: [AsyncGate] = []
    /// Work whose tasks are to be cancelled; it is marked as cancelled already.
    var cancellations: [EffectJob] = []
    /// What is to be released when the turn is over, because it can hold values of users.
    var releases = ShortList<AnyObject>()
}
