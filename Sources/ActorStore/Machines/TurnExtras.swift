/// What belongs to the turn of a store besides its reducer. One set, so that an action asks one question.
@usableFromInline
struct TurnExtras: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable static var interceptors: TurnExtras { TurnExtras(rawValue: 1 << 0) }
    @inlinable static var attachedReducers: TurnExtras { TurnExtras(rawValue: 1 << 1) }
    /// Observers of the state.
    @inlinable static var observers: TurnExtras { TurnExtras(rawValue: 1 << 2) }
    /// Observers of states that are computed from others. Of the tree.
    @inlinable static var derivedStates: TurnExtras { TurnExtras(rawValue: 1 << 3) }
    @inlinable static var actionObservers: TurnExtras { TurnExtras(rawValue: 1 << 4) }
    /// Of the tree.
    @inlinable static var instruments: TurnExtras { TurnExtras(rawValue: 1 << 5) }
    @inlinable static var asyncInterceptors: TurnExtras { TurnExtras(rawValue: 1 << 6) }
    /// The store takes no more actions from outside.
    @inlinable static var closed: TurnExtras { TurnExtras(rawValue: 1 << 7) }
    /// An observer that can suspend the tree has come.
    @inlinable static var suspension: TurnExtras { TurnExtras(rawValue: 1 << 8) }
    /// Effects of some store of the tree are cancelled as soon as they begin, or some of them.
    @inlinable static var effectCancellation: TurnExtras { TurnExtras(rawValue: 1 << 9) }
    /// Stores or effects come and go with the entries of a table. Of the tree.
    @inlinable static var elementTables: TurnExtras { TurnExtras(rawValue: 1 << 10) }
    /// The entry has gone to which the store belongs, so that the store ends at the end of the turn. Of a child.
    @inlinable static var departure: TurnExtras { TurnExtras(rawValue: 1 << 11) }

    // As numbers, which the optimiser need not put together on the hot path.

    /// What stands around the reducer of a child: its interceptors, and the observers of its actions.
    @inlinable static var aroundReducer: TurnExtras { TurnExtras(rawValue: 0b0001_0001) }
    /// What is notified of a child's turn: the observers of its state and of its actions.
    @inlinable static var notified: TurnExtras { TurnExtras(rawValue: 0b0001_0100) }
    /// With which a turn of the root is more than the reducer: the first six.
    @inlinable static var fullTurn: TurnExtras { TurnExtras(rawValue: 0b0011_1111) }
    /// With which an action does not take the fast path to the root's reducer: the first eight.
    @inlinable static var slowPath: TurnExtras { TurnExtras(rawValue: 0b1111_1111) }

    /// Whether any of them is there.
    @inlinable
    @inline(__always)
    func containsAny(of extras: TurnExtras) -> Bool { rawValue & extras.rawValue != 0 }

    /// Adds something, or takes it out.
    @inlinable
    mutating func set(_ extras: TurnExtras, to isPresent: Bool) {
        if isPresent { formUnion(extras) } else { subtract(extras) }
    }
}

/// How far the turn has come that is under way.
@usableFromInline
struct TurnProgress: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The gate keeps readers out. Kept here as well, because to ask the gate costs more.
    @inlinable static var writing: TurnProgress { TurnProgress(rawValue: 1 << 0) }
    /// The actions of a batch are being reduced, between which no other thread may see the state.
    @inlinable static var batch: TurnProgress { TurnProgress(rawValue: 1 << 1) }
    /// The owner itself may look at the state although it keeps others out.
    @inlinable static var atRest: TurnProgress { TurnProgress(rawValue: 1 << 2) }
    /// An action of the child of an element has been reduced of which observers have not been notified yet, so that the
    /// next one of the turn is not the first.
    @inlinable static var changedElement: TurnProgress { TurnProgress(rawValue: 1 << 3) }
    /// Reducers have asked for effects.
    @inlinable static var newEffects: TurnProgress { TurnProgress(rawValue: 1 << 4) }
    /// The state has asked for effects.
    @inlinable static var drivenEffects: TurnProgress { TurnProgress(rawValue: 1 << 5) }
    /// Something ends when all have been notified of a change.
    @inlinable static var endings: TurnProgress { TurnProgress(rawValue: 1 << 6) }

    /// Adds something, or takes it out.
    @inlinable
    mutating func set(_ progress: TurnProgress, to isPresent: Bool) {
        if isPresent { formUnion(progress) } else { subtract(progress) }
    }
}
