/// Which pieces of work a store has on its hands, begun or not, by number and by identity. A plain value.
struct EffectRegistry {
    private(set) var active: [UInt64: EffectHandle] = [:]
    private var numbersByID: [EffectID: Set<UInt64>] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { active.count }

    /// Whether nothing is on hand besides one piece of work.
    func isEmpty(except exception: EffectHandle?) -> Bool {
        active.values.allSatisfy { $0 === exception }
    }

    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func insert(_ handle: EffectHandle) {
        active[handle.number] = handle
        if let id = handle.id { numbersByID[id, default: []].insert(handle.number) }
    }

    mutating func remove(_ handle: EffectHandle) {
        guard active.removeValue(forKey: handle.number) != nil, let id = handle.id else { return }
        numbersByID[id]?.remove(handle.number)
        if numbersByID[id]?.isEmpty == true { numbersByID[id] = nil }
    }

    /// Whether any work with this identity has begun and neither ended nor been cancelled.
    func isRunning(_ id: EffectID) -> Bool {
        numbersByID[id]?.contains { active[$0]?.isRunning == true } ?? false
    }

    /// Cancels all work with this identity, except what comes after the canceller in the plan that it belongs to.
    func cancel(_ id: EffectID, by tracker: EffectTracker, number: UInt64) {
        for candidate in numbersByID[id] ?? [] {
            guard let handle = active[candidate], !(handle.tracker === tracker && candidate >= number) else { continue }
            handle.cancel()
        }
    }
}
