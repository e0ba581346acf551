/// What a ``StoreInstrument`` is told, as a value.
public enum InstrumentEvent: Sendable {
    /// An action's turn has come.
    case actionAccepted(AcceptedAction)
    /// An action has been reduced.
    case actionReduced(ReducedAction)
    /// An action was not reduced.
    case actionDropped(DroppedAction)
    /// Observers have been told.
    case observersNotified(NotifiedObservers)
    /// An effect has begun.
    case effectBegan(BegunEffect)
    /// An effect has done its work.
    case effectEnded(EndedEffect)
    /// An effect that was cancelled has ended.
    case effectCancelled(EndedEffect)
    /// An effect has failed.
    case effectFailed(EndedEffect, any Error)
}

extension StoreInstrument {
    /// Calls the method that the event is for.
    func tell(_ event: InstrumentEvent) {
        switch event {
        case .actionAccepted(let event): actionAccepted(event)
        case .actionReduced(let event): actionReduced(event)
        case .actionDropped(let event): actionDropped(event)
        case .observersNotified(let event): observersNotified(event)
        case .effectBegan(let event): effectBegan(event)
        case .effectEnded(let event): effectEnded(event)
        case .effectCancelled(let event): effectCancelled(event)
        case .effectFailed(let event, let error): effectFailed(event, error)
        }
    }
}
