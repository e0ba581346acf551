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

/// The part of a state that a child's reducer changes, found by a key path.
@usableFromInline
package struct StatePart<Root, Value>: Sendable {
    @usableFromInline let keyPath: WritableKeyPath<Root, Value> & Sendable
    /// Where it is stored; nil if it is computed, observed, or behind a reference.
    @usableFromInline package let stored: StoredPart<Root, Value>?

    @inlinable
    package init(_ keyPath: WritableKeyPath<Root, Value> & Sendable) {
        self.keyPath = keyPath
        stored = StoredPart(keyPath)
    }

    /// Gives `body` the part to change in place.
    ///
    /// Through the place where it is stored, because a key path that is known only at run time costs 100 times that.
    @inlinable
    @inline(__always)
    package func modify<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result {
        guard let stored else { return body(&root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(&stored.place(in: $0).pointee) }
    }

    /// Lets `body` look at the part. A part that is computed or observed is not set by it, as it is by
    /// ``modify(_:_:)``: to look at a child changes nothing.
    @inlinable
    @inline(__always)
    package func read<Result>(_ root: inout Root, _ body: (Value) -> Result) -> Result {
        guard let stored else { return body(root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(stored.place(in: $0).pointee) }
    }

    /// How an effect of the child is told from those of others.
    @usableFromInline package var step: EffectStep { .part(keyPath) }
}

extension StoredPart {
    /// Where the part is in a root.
    @inlinable
    @inline(__always)
    func place(in root: UnsafeMutablePointer<Root>) -> UnsafeMutablePointer<Value> {
        // Sound: `offset(of:)` gives the place at which a `Value` is stored in every `Root`, and which may be written
        // to if the key path is writable, as it says itself. The pointer is used only while the root is exclusively
        // accessed.
        UnsafeMutableRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self)
    }
}

extension ChildStep.Kind {
    /// What ends with a child.
    package init(_ effects: ChildEffects) { self = effects == .endWithChild ? .child : .outlived }
}

extension ChildStep {
    /// To a part of a state.
    @usableFromInline
    package static func part<State, Part>(_ keyPath: KeyPath<State, Part> & Sendable) -> ChildStep {
        ChildStep(.part, find: finding { (state: inout State) in state[keyPath: keyPath] })
    }

    /// To a case of a state, whose effects do not end with it.
    @usableFromInline
    static func caseOf<State, Value>(_ path: CasePath<State, Value>) -> ChildStep {
        ChildStep(.outlived, find: finding { (state: inout State) in path.extract(from: state) })
    }

    /// To a child that can be missing.
    ///
    /// - Parameter identity: That of the child; nil if effects outlive it.
    static func child<Slot: ChildSlot>(in slot: Slot, _ identity: ComparedIdentity<Slot.Identity>?) -> ChildStep {
        let findAny = finding { (state: inout Slot.State) in slot.child(in: &state) }
        guard let identity else { return ChildStep(.outlived, find: findAny) }
        return ChildStep(
            .child,
            find: finding { (state: inout Slot.State) in
                slot.identity(in: &state) == identity.value ? slot.child(in: &state) : nil
            }
        )
    }

    /// To an entry of a table; which can only be found if it is a table of this library.
    static func entry<State, Table: ReducibleTable>(
        _ id: Table.EntryID,
        in part: StatePart<State, Table>,
        _ effects: ChildEffects
    ) -> ChildStep where Table.EntryID: Sendable {
        ChildStep(Kind(effects)) { state, search in
            guard var state = state as? State,
                let table = part.read(&state, { $0 as? any ReadableTable<Table.EntryID, Table.Entry> })
            else { return .unknown }
            return table.entry(id, &search).map { .state($0) } ?? .nothing
        }
    }
}

/// The identity of a child, to be compared with that of a child that is there later.
package struct ComparedIdentity<Value: Equatable>: @unchecked Sendable {
    // Sound: it is that of a child that is Sendable, of which any thread may have a copy, whose identity it may take
    // and compare. This one is compared only in turns of one store.
    package let value: Value

    package init(value: Value) { self.value = value }
}

/// A table in which an entry can be looked at.
protocol ReadableTable<EntryID, Entry>: ReducibleTable {
    /// The entry with an identity; nil if there is none.
    func entry(_ id: EntryID, _ search: inout ChildSearch) -> Entry?
}
