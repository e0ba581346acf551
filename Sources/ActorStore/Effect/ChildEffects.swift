/// Whether the effects of a child are cancelled when it goes.
public enum ChildEffects: Sendable {
    /// They are: when the optional becomes nil, the enum another case, or the element is removed, and when another child
    /// takes the place of this one, also if that is done by its own reducer, which changes its identity.
    case endWithChild
    /// They are not. They are effects of the place, and not of the child: the next one in its place finds them by their
    /// identities. Then nobody has to look whether the child is still there, unless it can be dismissed: effects that
    /// outlive it dismiss no other child in its place. What is presented further inside is not seen to go with it.
    case outliveChild
}
