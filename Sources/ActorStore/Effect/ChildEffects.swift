/// Whether the effects of a child are cancelled when it goes.
public enum ChildEffects: Sendable {
    /// They are: when the optional becomes nil, the enum another case, or the element is removed, and when another
    /// child takes the place of this one, also if that is done by its own reducer, which changes its identity.
    ///
    /// The reducer that the child is composed with sees that at once. Code around that reducer, such as a parent that
    /// replaces the state in which the child is, a sibling, an attached reducer or `onChange`, is noticed when an
    /// effect of the child has sent an action, and that comes to be reduced: then the action is dropped and counted in
    /// ``StoreStatistics/lateActions``, the effects of all children are cancelled that have gone in this way, and their
    /// intervals are forgotten. So an effect never acts on the successor of its child. Until it is noticed, a successor
    /// at the same place shares the identities of its predecessor: work of the one that is gone counts for the policies
    /// and in the queues of these identities, its intervals go on, and `cancel(id:)` reaches it.
    ///
    /// A child is told from its successor by its presentation, or by its place on a stack; others by their identities,
    /// and an optional or a case without an identity only by being there. A child that code of yours composes, by
    /// calling its reducer and ``Effect/map(_:)``, is not looked for, and neither are entries of a ``ReducibleTable``
    /// of your own. Without `map`, the effects of such a child are taken for those of the reducer that calls it. If
    /// both have states of one type, and the reducer that is called has children, these are looked for in the wrong
    /// state, and their actions can be dropped: so call `map` in this case, too, or compose the child by a ``Scope``.
    case endWithChild
    /// They are not. They are effects of the place, and not of the child: the next one in its place finds them by their
    /// identities. Then nobody has to look whether the child is still there, unless it can be dismissed: effects that
    /// outlive it dismiss no other child in its place. What is presented further inside is not seen to go with it.
    case outliveChild
}
