/// The state of a child: the state of its parent, and its own.
///
/// ```swift
/// let feature = root.child(initialState: Feature.State(), reducer: Feature())
/// feature.snapshot.parent.user
/// for await isOpen in feature.values(of: \.local.isOpen) { … }
/// ```
///
/// For a child of a child, the parent's state is itself a `ParentAndChild`.
///
/// Observe parts of the two halves instead of the whole: the whole is created and compared after each turn of the tree.
public struct ParentAndChild<Parent, Local> {
    /// The parent's state.
    public var parent: Parent
    /// The child's own state.
    public var local: Local

    /// Combines two states.
    ///
    /// - Parameters:
    ///   - parent: The parent's state.
    ///   - local: The child's own state.
    @inlinable
    public init(parent: Parent, local: Local) {
        self.parent = parent
        self.local = local
    }
}

extension ParentAndChild: Sendable where Parent: Sendable, Local: Sendable {}
extension ParentAndChild: Equatable where Parent: Equatable, Local: Equatable {}
extension ParentAndChild: Hashable where Parent: Hashable, Local: Hashable {}
