/// The possible history of a room, as a plain list of entries.
///
/// The room's stores are used one after the other, in the order of their creation. Each begins with the saved state of
/// the room at that moment, the last one given to `onEvict`. So a store with a successor must have handed over, or
/// returned from `end`, all that it has reduced: otherwise that would be lost. And nothing is saved while the next
/// store is created or used: otherwise that would replace something newer.
struct RoomModel {
    typealias Entry = Hotel.Entry

    /// The saved state of the room.
    private var kept: [Entry] = []
    /// The first states of the stores.
    private var bases: [Int: [Entry]] = [:]
    /// The last used store.
    private(set) var current = 0
    /// The final state of each used store.
    private(set) var states: [Int: [Entry]] = [:]
    /// The last handed-over state of the current store.
    private var handedOver: [Entry]?
    private var isHandingOver = false
    /// The states returned by the group when stores were ended.
    private let ended: [Int: [Entry]]
    /// The events at which it was requested to end them.
    private let ends: [Int: Int]
    /// All reduced actions, in order.
    private(set) var reduced: [Entry] = []
    /// The stores without a state, with the events between which actions can wait for them.
    private(set) var stateless: [ClosedRange<Int>] = []
    private var births: [Int: Int] = [:]

    init(_ events: [(index: Int, event: Hotel.Event)]) throws {
        var (ended, ends): ([Int: [Entry]], [Int: Int]) = ([:], [:])
        for case (_, .endOver(let state?, let start)) in events {
            // Several callers can end the same store, and get the same state.
            try Hotel.require(
                ended[state.store, default: state.entries] == state.entries,
                "One store has two last states."
            )
            ended[state.store] = state.entries
            ends[state.store] = min(ends[state.store] ?? start, start)
        }
        self.ended = ended
        self.ends = ends
        for (index, event) in events { try note(event, at: index) }
        for (store, entries) in ended {
            try Hotel.require(
                entries == states[store] ?? bases[store],
                "The end of store \(store) returned \(entries)."
            )
        }
    }

    private mutating func note(_ event: Hotel.Event, at index: Int) throws {
        switch event {
        case .made(let store):
            births[store] = index
        case .hasState(let store, let entries):
            bases[store] = entries
        case .hasNoState(let store):
            stateless.append((births[store] ?? 0)...index)
        case .reduced(let store, let entry):
            try use(store)
            states[store, default: []].append(entry)
            reduced.append(entry)
        case .handOverBegun(let store, let entries):
            try use(store)
            try Hotel.require(index < ends[store] ?? .max, "Store \(store) is handed over, and was to end.")
            try Hotel.require(!isHandingOver, "The room is handed over twice at the same time.")
            let isState = states[store]?.starts(with: entries) == true
            try Hotel.require(
                isState && entries.starts(with: handedOver ?? bases[store] ?? []),
                "An old state is handed over."
            )
            isHandingOver = true
        case .handOverEnded(let store, let entries, let isKept):
            try Hotel.require(store == current, "The state of store \(store) was kept after store \(current) was used.")
            isHandingOver = false
            handedOver = entries
            if isKept { kept = entries }
        case .endBegun, .endOver, .storeShutDown, .used:
            break
        }
    }

    private mutating func use(_ store: Int) throws {
        guard store != current else { return }
        try Hotel.require(store > current, "Store \(store) is used after store \(current).")
        try Hotel.require(hasNothingToLose, "Store \(store) is used, but not all of store \(current) was kept.")
        try Hotel.require(
            bases[store] == kept,
            "Store \(store) begins with \(bases[store] ?? []), and not with \(kept)."
        )
        (current, handedOver, states[store]) = (store, nil, kept)
    }

    /// Whether the whole state of the current store has been handed over or returned.
    private var hasNothingToLose: Bool {
        guard let state = states[current] else { return true }
        return !isHandingOver && handedOver == state || ended[current] == state
    }

    /// - Parameter last: The state of the room's store at the shutdown of the group, if there is one.
    func finish(with last: Hotel.State?) throws {
        guard let last else {
            return try Hotel.require(hasNothingToLose, "Store \(current) has gone with its entries.")
        }
        try Hotel.require(!last.isPlaceholder, "A placeholder is left.")
        if last.store == current {
            return try Hotel.require(last.entries == states[current], "The last state is \(last).")
        }
        try Hotel.require(
            last.store > current && hasNothingToLose,
            "Store \(last.store) is left, not store \(current)."
        )
        try Hotel.require(last.entries == kept, "The last store begins with \(last.entries), and not with \(kept).")
    }

    /// Whether the last store can have had no state.
    var canBeStateless: Bool { births.keys.contains { $0 > current && bases[$0] == nil } }

    /// Whether a state was one of the room: the initial state of one of its stores, and some of its reduced actions.
    func includes(_ state: Hotel.State) -> Bool {
        let (first, last) = (bases[state.store], states[state.store] ?? bases[state.store])
        guard !state.isPlaceholder, let first, let last else { return false }
        return state.entries.starts(with: first) && last.starts(with: state.entries)
    }
}
