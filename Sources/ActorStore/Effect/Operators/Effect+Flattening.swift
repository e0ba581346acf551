extension Effect.Operation {
    /// How many parts of a nested combination are taken over into the outer one. Copying them costs less than a
    /// microsecond; and a combination of 100,000 that was made by adding one after the other is less than 200 deep,
    /// so that no recursion over it comes near the end of a stack.
    private static var largestFlattened: Int { 512 }

    /// The same, with combinations of the same kind taken over into this one.
    var flattened: Effect<Action>.Operation {
        switch self {
        case .merge(let parts):
            .merge(Self.flatten(parts) { if case .merge(let inner) = $0 { inner } else { nil } })
        case .concatenate(let parts):
            .concatenate(Self.flatten(parts) { if case .concatenate(let inner) = $0 { inner } else { nil } })
        default:
            self
        }
    }

    private static func flatten(
        _ parts: [Effect<Action>.Operation],
        _ innerParts: (Effect<Action>.Operation) -> [Effect<Action>.Operation]?
    ) -> [Effect<Action>.Operation] {
        var flat: [Effect<Action>.Operation] = []
        flat.reserveCapacity(parts.count)
        for part in parts {
            if let inner = innerParts(part), inner.count <= largestFlattened {
                flat += inner
            } else {
                flat.append(part)
            }
        }
        return flat
    }
}
