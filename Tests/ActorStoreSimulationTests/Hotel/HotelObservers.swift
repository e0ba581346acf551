import ActorStore

/// The observers of all stores of a hotel from its beginning to its end.
final class HotelObservers: @unchecked Sendable {
    // Sound: the variables are accessed only by tasks of one simulation, of which one runs at a time.
    typealias Room = Hotel.Room

    /// The versions of the rooms that an observer received.
    final class Story: @unchecked Sendable {
        // Sound: as above.
        let name: String
        fileprivate(set) var versions: [[Room: Hotel.State]] = []
        fileprivate(set) var isOver = false

        init(_ name: String) { self.name = name }
    }

    let stories = [Story("an observer of values"), Story("a slow observer of changes")]
    private var counts: [[Room: Int]] = []
    private var tasks: [Task<Void, any Error>] = []

    init(of system: HotelSystem) {
        guard let group = system.group else { return }
        let simulation = system.simulation
        let (values, changes, counts) = (group.values(of: \.self), group.changes(of: \.self), group.values(of: \.count))
        let (fast, slow) = (stories[0], stories[1])
        tasks = [
            simulation.start(fast.name) {
                for await version in values {
                    fast.versions.append(Dictionary(uniqueKeysWithValues: version.map { ($0.key, $0.value) }))
                    await simulation.interleave()
                }
                fast.isOver = true
            },
            simulation.start(slow.name) {
                for await change in changes {
                    var version = slow.versions.last ?? [:]
                    for entry in change.removed { version[entry.key] = nil }
                    for entry in change.inserted { version[entry.key] = entry.value }
                    for update in change.updated { version[update.key] = update.newValue }
                    slow.versions.append(version)
                    try? await simulation.clock.sleep(for: .milliseconds(7))
                }
                slow.isOver = true
            },
            simulation.start("an observer of counts") { [self] in
                for await version in counts {
                    self.counts.append(Dictionary(uniqueKeysWithValues: version.map { ($0.key, $0.value) }))
                }
            },
        ]
    }

    /// Returns when all sequences have ended.
    func finish() async throws {
        for task in tasks { try await task.value }
    }

    /// An idle observer has received the newest state of each room.
    func checkNewest(of system: HotelSystem) {
        for room in Room.all {
            guard let store = system.group?.existing(room), case .ready = store.phase else { continue }
            system.log.require(
                stories[0].versions.last?[room] == store.snapshot,
                "The newest state of \(room) has not arrived."
            )
        }
    }

    /// Each version differs from the previous one; each room's states existed and are never older than the previous
    /// one; and the last version has the last states, if these are known.
    func check(_ rooms: [Room: RoomModel], last: [Room: Hotel.State]?) throws {
        for story in stories {
            for (former, version) in zip(story.versions, story.versions.dropFirst()) {
                try Hotel.require(former != version, "\(story.name) gets \(version) twice.")
            }
            for room in Room.all {
                let states = story.versions.compactMap { $0[room] }
                for state in states {
                    try Hotel.require(rooms[room]?.includes(state) == true, "\(story.name) gets \(state) of \(room).")
                }
                for (former, state) in zip(states, states.dropFirst()) {
                    let isLater = (former.store, former.count) <= (state.store, state.count)
                    try Hotel.require(isLater, "\(story.name) gets \(state) of \(room) after \(former).")
                }
            }
            if let last {
                try Hotel.require(
                    story.versions.last == last,
                    "\(story.name) ends with \(story.versions.last ?? [:]), not \(last)."
                )
            }
        }
        if let last {
            try Hotel.require(counts.last == last.mapValues(\.count), "The last counts are \(counts.last ?? [:]).")
        }
    }
}
