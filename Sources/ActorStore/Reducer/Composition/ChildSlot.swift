/// Where a state keeps a child that can be missing.
///
/// The composition is the same for all of them; so this is what an optional, a case of an enum and a presentation have
/// in common. It is a type and not a closure, so that the compiler sees through it.
@usableFromInline
protocol ChildSlot<State, Child>: Sendable {
    associatedtype State
    associatedtype Child
    /// What tells one child from another one that takes its place.
    associatedtype Identity: Equatable

    /// Who is there; nil if nobody is.
    func identity(in state: inout State) -> Identity?
    /// Changes the child in place; nil if there is none.
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result?
    /// A copy of the child; nil if there is none.
    func child(in state: inout State) -> Child?
    /// Why an action found nobody.
    var absence: MissingChild.Reason { get }
    /// How the child's effects are told from those of others; nil if the place of the composition must do.
    var step: EffectStep? { get }
}

/// All there is to tell of a child without an identity: that it is there.
@usableFromInline
package struct Presence: Equatable {
    @inlinable
    package init() {}
}

/// An optional part of a state.
@usableFromInline
struct OptionalSlot<State, Child>: ChildSlot {
    @usableFromInline let part: StatePart<State, Child?>

    @inlinable
    init(_ keyPath: WritableKeyPath<State, Child?> & Sendable) { part = StatePart(keyPath) }

    @inlinable
    func identity(in state: inout State) -> Presence? { part.read(&state) { $0 == nil ? nil : Presence() } }

    @inlinable
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result? {
        part.modify(&state) { modifyWrapped(&$0, body) }
    }

    @usableFromInline
    func child(in state: inout State) -> Child? { part.read(&state) { $0 } }

    @usableFromInline var absence: MissingChild.Reason { .isNil }
    @usableFromInline var step: EffectStep? { part.step }
}

/// An optional part of a state that has an identity.
@usableFromInline
struct IdentifiedOptionalSlot<State, Child: Identifiable>: ChildSlot {
    @usableFromInline let part: StatePart<State, Child?>

    @inlinable
    init(_ keyPath: WritableKeyPath<State, Child?> & Sendable) { part = StatePart(keyPath) }

    @inlinable
    func identity(in state: inout State) -> Child.ID? { part.read(&state) { $0?.id } }

    @inlinable
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result? {
        part.modify(&state) { modifyWrapped(&$0, body) }
    }

    @usableFromInline
    func child(in state: inout State) -> Child? { part.read(&state) { $0 } }

    @usableFromInline var absence: MissingChild.Reason { .isNil }
    @usableFromInline var step: EffectStep? { part.step }
}

/// Changes what an optional wraps in place. It is taken out meanwhile, so that nothing in it has a second reference.
@inlinable
@inline(__always)
package func modifyWrapped<Value, Result>(_ optional: inout Value?, _ body: (inout Value) -> Result) -> Result? {
    guard var value = optional.take() else { return nil }
    defer { optional = value }
    return body(&value)
}

/// A case of a state that is an enum.
@usableFromInline
struct CaseSlot<State, Child>: ChildSlot {
    @usableFromInline let path: CasePath<State, Child>

    @inlinable
    init(_ path: CasePath<State, Child>) { self.path = path }

    @inlinable
    func identity(in state: inout State) -> Presence? { path.extract(from: state).map { _ in Presence() } }

    @inlinable
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result? { path.modify(&state, body) }

    @usableFromInline
    func child(in state: inout State) -> Child? { path.extract(from: state) }

    @usableFromInline var absence: MissingChild.Reason { .isOtherCase }
    @usableFromInline var step: EffectStep? { nil }
}

/// A case of a state that is an enum, with an identity.
@usableFromInline
struct IdentifiedCaseSlot<State, Child: Identifiable>: ChildSlot {
    @usableFromInline let path: CasePath<State, Child>

    @inlinable
    init(_ path: CasePath<State, Child>) { self.path = path }

    @inlinable
    func identity(in state: inout State) -> Child.ID? { path.extract(from: state)?.id }

    @inlinable
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result? { path.modify(&state, body) }

    @usableFromInline
    func child(in state: inout State) -> Child? { path.extract(from: state) }

    @usableFromInline var absence: MissingChild.Reason { .isOtherCase }
    @usableFromInline var step: EffectStep? { nil }
}
