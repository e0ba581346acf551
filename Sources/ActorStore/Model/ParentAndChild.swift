/// What a child shows: the state of its parent, and its own.
///
/// ```swift
/// let feature = root.child(initialState: Feature.State(), reducer: Feature())
/// feature.snapshot.parent.user
/// for await isOpen in feature.values(of: \.local.isOpen) { … }
/// ```
///
/// The parent of a grandchild's state is a `ParentAndChild` itself.
///
/// Observe parts of the two halves rather than the whole: the whole is made and compared after each turn of the tree.
public struct ParentAndChild<Parent, Local> {
    /// What the parent shows.
    public var parent: Parent
    /// The child's own state.
    public var local: Local

    /// Joins two states.
    @inlinable
    public init(parent: Parent, local: Local) {
        self.parent = parent
        self.local = local
    }
}

extension ParentAndChild: Sendable where Parent: Sendable, Local: Sendable {}
extension ParentAndChild: Equatable where Parent: Equatable, Local: Equatable {}
extension ParentAndChild: Hashable where Parent: Hashable, Local: Hashable {}
