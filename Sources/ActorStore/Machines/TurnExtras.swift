/// What runs in a turn besides the reducer. It is one set, so that an action needs one check.
@usableFromInline
struct TurnExtras: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable static var interceptors: TurnExtras { TurnExtras(rawValue: 1 << 0) }
    @inlinable static var attachedReducers: TurnExtras { TurnExtras(rawValue: 1 << 1) }
    /// Observers of the state.
    @inlinable static var observers: TurnExtras { TurnExtras(rawValue: 1 << 2) }
    /// Observers of derived states. A flag of the tree.
    @inlinable static var derivedStates: TurnExtras { TurnExtras(rawValue: 1 << 3) }
    @inlinable static var actionObservers: TurnExtras { TurnExtras(rawValue: 1 << 4) }
    /// Instruments. A flag of the tree.
    @inlinable static var instruments: TurnExtras { TurnExtras(rawValue: 1 << 5) }
    @inlinable static var asyncInterceptors: TurnExtras { TurnExtras(rawValue: 1 << 6) }
    /// The store accepts no more actions from outside.
    @inlinable static var closed: TurnExtras { TurnExtras(rawValue: 1 << 7) }
    /// An observer that can suspend the tree has been registered.
    @inlinable static var suspension: TurnExtras { TurnExtras(rawValue: 1 << 8) }
    /// All or some effects of a store of the tree are cancelled as soon as they begin.
    @inlinable static var effectCancellation: TurnExtras { TurnExtras(rawValue: 1 << 9) }
    /// Stores or effects depend on the entries of a table. A flag of the tree.
    @inlinable static var elementTables: TurnExtras { TurnExtras(rawValue: 1 << 10) }
    /// The entry that the store belongs to has been removed, so the store ends at the end of the turn. A flag of a
    /// child.
    @inlinable static var departure: TurnExtras { TurnExtras(rawValue: 1 << 11) }

    // As numbers, so that the optimiser need not combine flags on the hot path.

    /// What surrounds the reducer of a child: its interceptors, and the observers of its actions.
    @inlinable static var aroundReducer: TurnExtras { TurnExtras(rawValue: 0b0001_0001) }
    /// What is notified after a child's reducer: the observers of its state and of its actions.
    @inlinable static var notified: TurnExtras { TurnExtras(rawValue: 0b0001_0100) }
    /// The extras that make a turn of the root more than its reducer: the first six.
    @inlinable static var fullTurn: TurnExtras { TurnExtras(rawValue: 0b0011_1111) }
    /// The extras that keep an action from the fast path to the root's reducer: the first eight.
    @inlinable static var slowPath: TurnExtras { TurnExtras(rawValue: 0b1111_1111) }

    /// Returns whether the set contains any of `extras`.
    @inlinable
    @inline(__always)
    func containsAny(of extras: TurnExtras) -> Bool { rawValue & extras.rawValue != 0 }

    /// Inserts or removes flags.
    @inlinable
    mutating func set(_ extras: TurnExtras, to isPresent: Bool) {
        if isPresent { formUnion(extras) } else { subtract(extras) }
    }
}

/// The progress of the current turn.
@usableFromInline
struct TurnProgress: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The gate excludes readers. Stored here as well, because asking the gate costs more.
    @inlinable static var writing: TurnProgress { TurnProgress(rawValue: 1 << 0) }
    /// The actions of a batch are being reduced; no other thread may read the state between them.
    @inlinable static var batch: TurnProgress { TurnProgress(rawValue: 1 << 1) }
    /// The owner itself may read the state although it excludes others.
    @inlinable static var atRest: TurnProgress { TurnProgress(rawValue: 1 << 2) }
    /// An action of an element's child has been reduced, and observers have not been notified yet: the next action is
    /// not the first of the turn.
    @inlinable static var changedElement: TurnProgress { TurnProgress(rawValue: 1 << 3) }
    /// Reducers have returned effects.
    @inlinable static var newEffects: TurnProgress { TurnProgress(rawValue: 1 << 4) }
    /// The state has requested effects.
    @inlinable static var drivenEffects: TurnProgress { TurnProgress(rawValue: 1 << 5) }
    /// Something ends after all observers have been notified of a change.
    @inlinable static var endings: TurnProgress { TurnProgress(rawValue: 1 << 6) }

    /// Inserts or removes flags.
    @inlinable
    mutating func set(_ progress: TurnProgress, to isPresent: Bool) {
        if isPresent { formUnion(progress) } else { subtract(progress) }
    }
}
