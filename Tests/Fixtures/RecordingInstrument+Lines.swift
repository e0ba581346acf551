import ActorStore
import ActorStoreInstruments

extension InstrumentEvent {
    /// The events, abbreviated.
    var line: String {
        switch self {
        case .actionAccepted(let event): "\(event.store) \(event.number) accepted \(Self.name(of: event.action))"
        case .actionReduced(let event): "\(event.store) \(event.number) reduced #\(event.revision)"
        case .actionDropped(let event):
            "\(event.store) \(event.number.map { "\($0) " } ?? "")dropped \(event.count): \(event.reason)"
        case .observersNotified(let event): "\(event.store) \(event.number) notified \(event.observers)"
        case .effectBegan(let event):
            "\(event.store) effect \(event.number)\(event.cause.map { " of \($0)" } ?? "") began"
        case .effectEnded(let event): "\(event.effect.store) effect \(event.effect.number) ended"
        case .effectCancelled(let event): "\(event.effect.store) effect \(event.effect.number) cancelled"
        case .effectFailed(let event, let error): "\(event.effect.store) effect \(event.effect.number) failed: \(error)"
        }
    }

    private static func name(of action: any Sendable) -> String {
        if case .start? = action as? Ledger.Action { return "start" }
        return ValueDescription(of: action).line
    }
}

extension RecordingInstrument {
    var lines: [String] { events.map(\.line) }
}
