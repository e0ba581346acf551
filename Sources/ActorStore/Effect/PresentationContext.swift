/// That the code which runs is that of a child that is presented, and how it is dismissed.
@usableFromInline
package struct PresentationContext: Sendable {
    /// The effect that it is known to; nil in a reducer that no effect has called. Tasks inherit the context, also that
    /// of effects in other stores, which it does not belong to.
    private let effect = CurrentEffect.effect
    /// nil in a reducer, which must ask for an effect.
    private let dismissal: (@Sendable () -> SendOutcome)?

    @TaskLocal private static var inherited: PresentationContext?

    private init(dismissal: (@Sendable () -> SendOutcome)?) { self.dismissal = dismissal }

    /// Whether the code which runs is that of a child that is presented.
    package static var isPresented: Bool { current != nil }

    /// Dismisses the child whose code runs.
    ///
    /// - Returns: nil if there is none, or if it is its reducer that runs.
    package static func dismiss() -> SendOutcome? { current?.dismissal?() }

    private static var current: PresentationContext? {
        guard let context = inherited, context.effect === CurrentEffect.effect else { return nil }
        return context
    }

    /// Runs a reducer of a child that is presented.
    @usableFromInline
    package static func inReducer<Result>(_ operation: () -> Result) -> Result {
        $inherited.withValue(PresentationContext(dismissal: nil), operation: operation)
    }

    /// Runs what is not the child's, such as what sends an action of it to the store.
    static func outside<Result>(_ operation: () -> Result) -> Result {
        inherited == nil ? operation() : $inherited.withValue(nil, operation: operation)
    }

    /// Runs work of an effect that can dismiss its child, if it could before, as long as a gate lets something pass.
    static func gated(
        by gate: DeadlineGate,
        of effect: (any RunningEffect)?,
        _ operation: () async throws -> Void
    ) async throws {
        guard let dismissal = current?.dismissal else { return try await operation() }
        let context = PresentationContext(dismissal: gate.gated(dismissal, of: effect))
        try await $inherited.withValue(context, operation: operation)
    }

    /// The same work as that of a child that is presented.
    ///
    /// - Parameter dismissal: Dismisses the child.
    static func presenting<Action>(
        _ work: EffectWork<Action>,
        dismissal: @escaping @Sendable (Send<Action>) -> SendOutcome
    ) -> EffectWork<Action> {
        work.binding($inherited) { send in PresentationContext { dismissal(send) } }
    }
}
