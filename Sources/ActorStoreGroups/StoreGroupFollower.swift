import ActorStore
import Synchronization

/// One who observes all stores of a group.
///
/// It has a member in the entry of each store: the group makes one when the follower comes, and when a store comes.
protocol StoreGroupFollower<ID, State, Action>: AnyObject, Sendable {
    associatedtype ID: Hashable & Sendable
    associatedtype State: Sendable
    associatedtype Action: Sendable

    /// By this its members are found. Not by its address, which another one can get when it is gone.
    var number: UInt64 { get }

    /// Makes the member of a store, which observes nothing yet.
    func makeMember(_ id: ID) -> any AnyFollowedPart

    /// Has a member begin to observe.
    func begin(_ member: any AnyFollowedPart, in store: StoreReference<State, Action>)

    /// Has a member for each store that it found when it came.
    func endLook()

    /// Nothing comes any more once all that is followed has ended.
    func finishWithStores()

    /// Whether nothing must be begun for it any more.
    var isGone: Bool { get }

    /// Has nothing begun for it any more.
    func leave()
}

/// Follows one part of all stores of a group.
final class StoreGroupFeed<ID: Hashable & Sendable, State: Sendable, Action: Sendable, Value: Equatable & Sendable>:
    StoreGroupFollower
{
    typealias Member = StoreGroupMemberChanges<ID, Value>

    let number: UInt64
    let changes = StoreGroupPendingChanges<ID, Value>()
    private let part: FollowablePart<State, Member>
    // Pairs: `leave` stores it and then takes the members out of the tables, under their lock; the other side loads it
    // under the same lock and then adds a member. So either the member is found or nothing is added.
    private let hasLeft = AtomicValue<Bool>(false)

    init(_ part: FollowablePart<State, Member>, number: UInt64) {
        self.part = part
        self.number = number
    }

    func makeMember(_ id: ID) -> any AnyFollowedPart { part.followed(by: Member(id: id, changes: changes)) }

    func begin(_ member: any AnyFollowedPart, in store: StoreReference<State, Action>) {
        guard let member = member as? FollowedPart<Member> else { return }
        // Nothing here waits for a reducer, because the caller may hold a lock that it takes. What can be read is read
        // at once: the store may have much to do, or be suspended. Otherwise the first version waits until the member
        // has begun, except for one that is being loaded, because nobody knows how long that takes.
        if !store.hasState {
            changes.leaveOut(member.follower)
        } else if let value = part.value(in: store) {
            changes.report(value, of: member.follower)
        }
        member.begin(in: store)
    }

    func endLook() { changes.endLook() }

    func finishWithStores() { changes.finishWithMembers() }

    var isGone: Bool { hasLeft.loadSequentiallyConsistent() }

    func leave() { hasLeft.storeSequentiallyConsistent(true) }
}
