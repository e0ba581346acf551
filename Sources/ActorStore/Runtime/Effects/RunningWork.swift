/// An operation that a store runs like an effect, and that its starter awaits; the basis of side effects.
package struct RunningWork: Sendable {
    let job: EffectJob

    /// The operation of the current task; nil if the task runs no operation of a store.
    package static var current: RunningWork? { EffectJob.current.map(RunningWork.init) }

    /// Whether it is running and not cancelled.
    package var canSend: Bool { job.canSend }
}

/// An interceptor of operations as one tree uses it.
package struct WorkInterceptor: IdentifiedUse, Sendable {
    package typealias Body =
        @Sendable (
            _ subject: any Sendable, _ work: RunningWork, _ next: @escaping @Sendable () async throws -> Void
        ) async throws -> Void

    let identity = InterceptorIdentity()
    package let name: String
    /// A closure, because it is created where all types are known.
    package let run: Body

    package init(name: String, run: @escaping Body) {
        self.name = name
        self.run = run
    }
}
