extension Effect {
    /// What this effect cancels, and nothing that it begins: for a store that follows another one, where the work is done
    /// elsewhere, and may have been begun here before.
    package var cancellations: Effect { Effect(operation: operation?.cancellations) }
}

extension Effect.Operation {
    fileprivate var cancellations: Effect.Operation? {
        switch self {
        case .cancel, .cancelAll: self
        case .run(let work):
            if let id = work.id, work.policy.replacesAll { .cancel(id) } else { nil }
        case .merge(let operations), .concatenate(let operations):
            merged(operations.compactMap(\.cancellations))
        case .scoped(let path, let operation, let isPresentation):
            operation.cancellations.map { .scoped(path, $0, isPresentation: isPresentation) }
        case .detached(let operation): operation.cancellations
        case .group(let group, let operation):
            merged(
                (group.policy.replacesAll ? [.cancel(group.id)] : []) + [operation.cancellations].compactMap { $0 }
            )
        case .send, .dismiss, .dismissal, .report: nil
        }
    }

    private func merged(_ operations: [Effect.Operation]) -> Effect.Operation? {
        operations.count > 1 ? .merge(operations) : operations.first
    }
}

extension EffectPolicy {
    /// Whether work with it cancels all that is under way with the same identity.
    fileprivate var replacesAll: Bool { self == .cancelInFlight || self == .newest(1) }
}
