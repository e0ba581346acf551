import ActorStore

/// A stack of child states, such as the screens of a navigation or the steps of a job. The last one is at the top.
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
/// Each child gets an identity when it is pushed. Identities increase, and a stack never assigns one twice. A stack
/// that replaces another one counts independently: a new stack starts from 0, an older copy continues where it was. So
/// it can assign the identity of a child that was removed. To continue counting, use ``removeAll()``, ``pop(to:)`` and
/// ``push(_:)`` instead of replacing the stack.
///
/// Whichever way a child is removed, its effects are cancelled, and actions that they still send do not reach another
/// child with the same identity, whatever code removed it: see `forEach` and `ChildEffects.endWithChild`. A child that
/// is in the older copy, too, stays the same child, and keeps its effects. Actions from outside, and those of detached
/// effects, identify a child by its identity alone.
///
/// Two stacks are equal if they have equal children with the same identities.
public struct StackState<Element> {
    /// The children from the bottom to the top, and so in the order of their identities.
    @usableFromInline var entries: [StackEntry<Element>] = []
    /// The number of the next child.
    @usableFromInline var nextNumber: UInt64 = 0
    /// The last removal; a new stack has a new one. Copies with the same value differ only by pushes.
    @inlinable var removal: StackStamp { removals.last }
    /// The children that were removed most recently.
    @usableFromInline var removals = StackRemovals()

    /// Creates an empty stack.
    public init() {}

    /// Creates a stack of children, the last of them at the top.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { push(element) }
    }

    /// Pushes a child onto the stack.
    ///
    /// - Returns: The identity of the child.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public mutating func push(_ element: Element) -> StackElementID {
        let id = StackElementID(number: nextNumber)
        nextNumber += 1
        entries.append(StackEntry(id: id, stamp: StackStamp(), element: element))
        return id
    }

    /// Removes the top child.
    ///
    /// - Returns: The top child, or nil if the stack is empty.
    /// - Complexity: O(1)
    @inlinable
    @discardableResult
    public mutating func pop() -> Element? {
        guard let entry = entries.popLast() else { return nil }
        removals.append(entry.stamp)
        return entry.element
    }

    /// Removes a child, and all above it.
    ///
    /// - Returns: True if the child was in the stack.
    /// - Complexity: O(log *n* + *m*), where *m* is the number of removed children.
    @inlinable
    @discardableResult
    public mutating func pop(from id: StackElementID) -> Bool {
        guard let position = position(of: id) else { return false }
        removals.append(entries[position...])
        entries.removeSubrange(position...)
        return true
    }

    /// Removes all children above a child, which stays.
    ///
    /// - Returns: True if the child was in the stack.
    /// - Complexity: O(log *n* + *m*), where *m* is the number of removed children.
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

    /// Removes a child, and leaves those above it.
    ///
    /// - Returns: The child, or nil if it is not in the stack.
    /// - Complexity: O(*n*)
    @inlinable
    @discardableResult
    public mutating func remove(id: StackElementID) -> Element? {
        guard let position = position(of: id) else { return nil }
        removals.append(entries[position].stamp)
        return entries.remove(at: position).element
    }

    /// Removes all children.
    ///
    /// - Complexity: O(*n*)
    @inlinable
    public mutating func removeAll() {
        guard !entries.isEmpty else { return }
        removals.append(entries[...])
        entries.removeAll()
    }
}

extension StackState: Sendable where Element: Sendable {}
