import ActorStore

/// The stores of a thread that are not visible to other threads yet: a plain value.
///
/// It keeps the order required by the C++ model, and no other: two stores to the same word become visible in order, and
/// a releasing store after all earlier ones. A sequentially consistent store is a releasing one that becomes visible
/// before a later sequentially consistent load of its thread.
struct StoreBuffer {
    struct Store {
        let address: UnsafeMutableRawPointer
        let size: Int
        let bits: UInt64
        let order: SchedulePoint.Order

        /// Writes the value to memory, visible to all threads.
        func commit() {
            switch size {
            case 1: address.storeBytes(of: UInt8(truncatingIfNeeded: bits), as: UInt8.self)
            default: address.storeBytes(of: bits, as: UInt64.self)
            }
        }
    }

    private var stores: [Store] = []

    var isEmpty: Bool { stores.isEmpty }

    mutating func append(_ store: Store) { stores.append(store) }

    /// The value that the thread itself sees at an address, if it has stored one there.
    func newest(at address: UnsafeRawPointer) -> UInt64? { stores.last { $0.address == address }?.bits }

    /// Removes one of the stores that may become visible next.
    ///
    /// - Parameter choice: Selects one, given their number.
    mutating func takeAny(_ choice: (Int) -> Int) -> Store {
        let candidates = stores.indices.filter(mayBeNext)
        return stores.remove(at: candidates[choice(candidates.count)])
    }

    /// Removes the stores that must become visible before the thread executes a read-modify-write at an address.
    mutating func take(beforeModificationAt address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> [Store] {
        switch order {
        case .releasing, .acquiringAndReleasing, .sequentiallyConsistent: takeAll()
        case .relaxed, .acquiring: take(throughLast { $0.address == address })
        }
    }

    /// Removes the stores that must become visible before the thread executes a load.
    mutating func take(beforeLoad order: SchedulePoint.Order) -> [Store] {
        guard order == .sequentiallyConsistent else { return [] }
        return take(throughLast { $0.order == .sequentiallyConsistent })
    }

    mutating func takeAll() -> [Store] { take(stores.count) }

    private func throughLast(_ predicate: (Store) -> Bool) -> Int {
        stores.lastIndex(where: predicate).map { $0 + 1 } ?? 0
    }

    private mutating func take(_ count: Int) -> [Store] {
        guard count > 0 else { return [] }
        defer { stores.removeFirst(count) }
        return Array(stores.prefix(count))
    }

    private func mayBeNext(_ index: Int) -> Bool {
        let store = stores[index]
        guard store.order == .relaxed else { return index == 0 }
        return !stores[..<index].contains { $0.address == store.address }
    }
}
