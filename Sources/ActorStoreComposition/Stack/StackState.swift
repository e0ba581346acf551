import ActorStore

/// The states of children one above the other, such as the screens of a navigation, or the steps of a job: the last one
/// is at the top.
///
/// ```swift
/// struct State { var path = StackState<Screen.State>() }
/// enum Action { case path(StackAction<Screen.State, Screen.Action>) }
///
/// let id = state.path.push(Screen.State(title: "Orders"))
/// state.path[id: id]?.title = "Invoices"
/// state.path.pop(from: id)            // this one, and those above it
/// ```
///
/// Each child gets an identity when it is pushed, which grows, and which the stack does not give a second time. A stack
/// that is put in the place of another one counts by itself: a new one from the beginning, an older copy from where it
/// was. So it can give an identity that a child had which is gone. To go on counting, use ``removeAll()``, ``pop(to:)``
/// and ``push(_:)`` instead.
///
/// However a child goes, its effects are cancelled, and what they still send does not come to another child of the same
/// identity, whatever code has taken it away: see `forEach` and `ChildEffects.endWithChild`. A child that is in the
/// older copy, too, stays the same child, and keeps its effects. Actions from outside, and those of detached effects,
/// name a child by its identity alone.
///
/// Two stacks are equal if they have equal children with the same identities.
public struct StackState<Element> {
    /// From the bottom to the top, and so in the order of their identities.
    @usableFromInline var entries: [StackEntry<Element>] = []
    /// The number of the next child.
    @usableFromInline var nextNumber: UInt64 = 0
    /// Changes when a child goes; that of a new stack is new. Copies that have the same one differ by pushes alone.
    @inlinable var removal: StackStamp { removals.last }
    /// The children that have gone last.
    @usableFromInline var removals = StackRemovals()

    /// An empty stack.
    public init() {}

    /// A stack of children, the last of them at the top.
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { push(element) }
    }

    /// Puts a child on top. O(1).
    ///
    /// - Returns: its identity.
    @inlinable
    @discardableResult
    public mutating func push(_ element: Element) -> StackElementID {
        let id = StackElementID(number: nextNumber)
        nextNumber += 1
        entries.append(StackEntry(id: id, stamp: StackStamp(), element: element))
        return id
    }

    /// Takes the top child away; nil if there is none. O(1).
    @inlinable
    @discardableResult
    public mutating func pop() -> Element? {
        guard let entry = entries.popLast() else { return nil }
        removals.append(entry.stamp)
        return entry.element
    }

    /// Takes a child away, and all above it. O(log *n* + number of those).
    ///
    /// - Returns: whether it was there.
    @inlinable
    @discardableResult
    public mutating func pop(from id: StackElementID) -> Bool {
        guard let position = position(of: id) else { return false }
        removals.append(entries[position...])
        entries.removeSubrange(position...)
        return true
    }

    /// Takes all children away that are above one, which stays. O(log *n* + number of those).
    ///
    /// - Returns: whether it was there.
    @inlinable
    @discardableResult
    public mutating func pop(to id: StackElementID) -> Bool {
        guard let position = position(of: id) else { return false }
        if position + 1 < entries.count {
            removals.append(entries[(position + 1)...])
            entries.removeSubrange((position + 1)...)
        }
        return true
    }

    /// Takes a child away, and leaves those above it where they are. O(*n*).
    @inlinable
    @discardableResult
    public mutating func remove(id: StackElementID) -> Element? {
        guard let position = position(of: id) else { return nil }
        removals.append(entries[position].stamp)
        return entries.remove(at: position).element
    }

    /// Takes all children away.
    @inlinable
    public mutating func removeAll() {
        guard !entries.isEmpty else { return }
        removals.append(entries[...])
        entries.removeAll()
    }
}

extension StackState: Sendable where Element: Sendable {}
