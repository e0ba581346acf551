/// The location of a child in a state, where it can be missing: an optional, a case of an enum, or a presentation.
///
/// The composition is the same for all of them. This is a protocol instead of closures, so that the compiler can inline
/// the access.
@usableFromInline
protocol ChildSlot<State, Child>: Sendable {
    associatedtype State
    associatedtype Child
    /// A value that distinguishes a child from another one at the same location.
    associatedtype Identity: Equatable

    /// Returns the identity of the child; nil if it is missing.
    func identity(in state: inout State) -> Identity?
    /// Changes the child in place; returns nil if it is missing.
    func modify<Result>(_ state: inout State, _ body: (inout Child) -> Result) -> Result?
    /// Returns a copy of the child; nil if it is missing.
    func child(in state: inout State) -> Child?
    /// The reason to report if the child is missing.
    var absence: MissingChild.Reason { get }
    /// The step that distinguishes the child's effects from others; nil to use the source location of the composition.
    var step: EffectStep? { get }
}

/// The identity of a child that has no identity of its own: only its presence counts.
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

/// Changes the wrapped value of an optional in place. The value is taken out during the change, so that its contents
/// have no second reference.
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
    /// The stored location of the part; nil if it is computed, observed, or behind a reference.
    @usableFromInline package let stored: StoredPart<Root, Value>?

    @inlinable
    package init(_ keyPath: WritableKeyPath<Root, Value> & Sendable) {
        self.keyPath = keyPath
        stored = StoredPart(keyPath)
    }

    /// Changes the part in place.
    ///
    /// Uses the stored location, because access through a key path that is known only at run time costs 100 times as
    /// much.
    @inlinable
    @inline(__always)
    package func modify<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result {
        guard let stored else { return body(&root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(&stored.place(in: $0).pointee) }
    }

    /// Reads the part. Unlike ``modify(_:_:)``, this does not set a part that is computed or observed: looking at a
    /// child changes nothing.
    @inlinable
    @inline(__always)
    package func read<Result>(_ root: inout Root, _ body: (Value) -> Result) -> Result {
        guard let stored else { return body(root[keyPath: keyPath]) }
        return withUnsafeMutablePointer(to: &root) { body(stored.place(in: $0).pointee) }
    }

    /// The step that distinguishes the child's effects from others.
    @usableFromInline package var step: EffectStep { .part(keyPath) }
}

extension StoredPart {
    /// Returns the address of the part in a root.
    @inlinable
    @inline(__always)
    func place(in root: UnsafeMutablePointer<Root>) -> UnsafeMutablePointer<Value> {
        // Sound: `offset(of:)` returns the offset at which a `Value` is stored in every `Root`, and it may be written
        // because the key path is writable. The pointer is used only while the root is exclusively accessed.
        UnsafeMutableRawPointer(root).advanced(by: offset).assumingMemoryBound(to: Value.self)
    }
}

extension ChildStep.Kind {
    /// Creates the kind of a child with the given rule for its effects.
    package init(_ effects: ChildEffects) { self = effects == .endWithChild ? .child : .outlived }
}

extension ChildStep {
    /// Returns a step to a part of a state.
    @usableFromInline
    package static func part<State, Part>(_ keyPath: KeyPath<State, Part> & Sendable) -> ChildStep {
        ChildStep(.part, find: finding { (state: inout State) in state[keyPath: keyPath] })
    }

    /// Returns a step to a case of a state, whose effects do not end with it.
    @usableFromInline
    static func caseOf<State, Value>(_ path: CasePath<State, Value>) -> ChildStep {
        ChildStep(.outlived, find: finding { (state: inout State) in path.extract(from: state) })
    }

    /// Returns a step to a child that can be missing.
    ///
    /// - Parameter identity: The identity of the child; nil if effects outlive it.
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

    /// Returns a step to an entry of a table. The entry can be found only if the table is one of this library.
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

/// The identity of a child, for a later comparison with the identity of the child that is then present.
package struct ComparedIdentity<Value: Equatable>: @unchecked Sendable {
    // Sound: it is the identity of a Sendable child, which any thread may copy, and whose identity it may read and
    // compare. This copy is compared only in turns of one store.
    package let value: Value

    package init(value: Value) { self.value = value }
}

/// A table whose entries can be read.
protocol ReadableTable<EntryID, Entry>: ReducibleTable {
    /// Returns the entry with an identity; nil if there is no such entry.
    func entry(_ id: EntryID, _ search: inout ChildSearch) -> Entry?
}
