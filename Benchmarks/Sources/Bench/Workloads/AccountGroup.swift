import ActorStore
import ActorStoreGroups
import Synchronization

typealias AccountGroup = StoreGroup<Int, Account.State, Account.Action>

/// A group of accounts with the keys from 0 on.
func makeAccountGroup(
    _ count: Int,
    eviction: StoreGroupEviction<Int, Account.State> = .never
) -> AccountGroup {
    let group = AccountGroup(reducer: Account(), eviction: eviction) { _ in Account.State() }
    for id in 0..<count { _ = group[id] }
    return group
}

/// The alternative to a group of stores: actors in a dictionary protected by a mutex.
final class ActorTable: Sendable {
    private let actors = Mutex<[Int: BareActor<Account>]>([:])

    init(_ count: Int) {
        for id in 0..<count { _ = self[id] }
    }

    /// The actor of a key, which is created if it is missing.
    subscript(id: Int) -> BareActor<Account> {
        actors.withLock { actors in
            if let actor = actors[id] { return actor }
            let actor = BareActor()
            actors[id] = actor
            return actor
        }
    }

    func remove(_ id: Int) { _ = actors.withLock { $0.removeValue(forKey: id) } }
}

/// A group of accounts that are checked on request, and evicted if they are idle.
final class WatchedAccounts: Sendable {
    let group: AccountGroup
    private let clock = PeriodClock()
    private let held: [Store<Account.State, Account.Action>]

    /// - Parameter isHeld: Whether all stores are retained, so that none is evicted.
    init(_ count: Int, isHeld: Bool) async {
        group = makeAccountGroup(count, eviction: .afterIdle(.seconds(1), clock: clock))
        held = isHeld ? (0..<count).map { [group] in group[$0] } : []
        await clock.waitForSleeper()
        // All were used in the first period, because they were created in it.
        await passPeriod()
    }

    func passPeriod() async {
        clock.wakeSleeper()
        await clock.waitForSleeper()
    }
}

/// A clock on which one sleeper at a time sleeps until it is woken explicitly.
final class PeriodClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }
    private let sleepers = AsyncStream.makeStream(of: Void.self)
    private let calls = AsyncStream.makeStream(of: Void.self)

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        sleepers.continuation.yield()
        for await _ in calls.stream { return }
        throw CancellationError()
    }

    func waitForSleeper() async {
        for await _ in sleepers.stream { return }
    }

    func wakeSleeper() { calls.continuation.yield() }
}
