/// Work that a store runs like an effect, and that whoever began it awaits: what a side effect is made of.
package struct RunningWork: Sendable {
    let job: EffectJob

    /// That of whose task this is; nil if it is that of none.
    package static var current: RunningWork? { EffectJob.current.map(RunningWork.init) }

    /// Whether it has neither ended nor been cancelled.
    package var canSend: Bool { job.canSend }
}

/// An interceptor of work as one tree uses it.
package struct WorkInterceptor: IdentifiedUse, Sendable {
    package typealias Body =
        @Sendable (
            _ subject: any Sendable, _ work: RunningWork, _ next: @escaping @Sendable () async throws -> Void
        ) async throws -> Void

    let identity = InterceptorIdentity()
    package let name: String
    /// A closure, because that is made where all types are known.
    package let run: Body

    package init(name: String, run: @escaping Body) {
        self.name = name
        self.run = run
    }
}
