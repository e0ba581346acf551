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
            if let id = work.id, work.policy == .cancelInFlight { .cancel(id) } else { nil }
        case .merge(let operations), .concatenate(let operations):
            .merge(operations.compactMap(\.cancellations))
        case .scoped(let path, let operation): operation.cancellations.map { .scoped(path, $0) }
        case .detached(let operation): operation.cancellations
        case .group(let group, let operation):
            if group.policy == .cancelInFlight {
                .merge([.cancel(group.id)] + [operation.cancellations].compactMap { $0 })
            } else {
                operation.cancellations
            }
        case .send, .dismiss, .report: nil
        }
    }
}
