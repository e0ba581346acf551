import ActorStore

/// An instrument that writes a trace in Chrome's format, for `chrome://tracing` and Perfetto.
///
/// ```swift
/// let trace = ChromeTraceInstrument { text in file.write(Data(text.utf8)) }
/// store.use(trace)
/// // Later:
/// trace.finish()
/// ```
///
/// Each store has a row of its own, shared with other stores of the same name; see `StoreConfiguration.name`.
/// Reductions and notifications are complete events, `"X"`; effects are asynchronous events, `"b"` and `"e"`, because
/// they overlap; dropped actions are instants, `"i"`. Times are microseconds of the instruments' clock. The output is a
/// JSON array, complete after ``finish()``; the viewers also read a truncated one. Identities and errors of effects are
/// written without their `Redactable` parts.
///
/// Several stores can use it if they have different names, which distinguish their effects, and if their times are
/// those of the continuous clock. The sink receives one piece of text at a time.
public final class ChromeTraceInstrument: StoreInstrument {
    private let sink: @Sendable (_ text: String) -> Void
    private let describe: @Sendable (_ action: any Sendable) -> String
    // A lock whose waiters sleep, because the sink runs under it: pieces must reach it in order.
    private let storage = LockedValue(Storage())

    private struct Storage {
        var rows: [String: Int] = [:]
        var hasBegun = false
        var isFinished = false
    }

    /// Creates an instrument. It writes nothing before the first event.
    ///
    /// - Parameters:
    ///   - describe: Returns the name of an action; by default its label and payload, without its `Redactable` parts.
    ///     Runs within the store's turn.
    ///   - sink: Receives the next piece of the text. It runs within the store's turn, one piece at a time, so it must
    ///     not block for long: writing to a buffered file is suitable. It must not use the instrument.
    public init(
        describe: @escaping @Sendable (_ action: any Sendable) -> String = { String(redacting: $0) },
        to sink: @escaping @Sendable (_ text: String) -> Void
    ) {
        self.describe = describe
        self.sink = sink
    }

    /// Ends the array. Later events are not written. Calling it again does nothing.
    public func finish() {
        storage.withLock { storage in
            guard !storage.isFinished else { return }
            storage.isFinished = true
            sink(storage.hasBegun ? "\n]\n" : "[]\n")
        }
    }

    /// Writes an event to the row of a store.
    private func write(_ store: String, _ event: (inout TraceEvent) -> Void) {
        storage.withLock { storage in
            guard !storage.isFinished else { return }
            if storage.rows[store] == nil {
                storage.rows[store] = storage.rows.count + 1
                append(TraceEvent.row(storage.rows.count, named: store), to: &storage)
            }
            var traceEvent = TraceEvent(row: storage.rows[store] ?? 0)
            event(&traceEvent)
            append(traceEvent, to: &storage)
        }
    }

    /// Call it under the lock.
    private func append(_ event: TraceEvent, to storage: inout Storage) {
        sink((storage.hasBegun ? ",\n" : "[\n") + event.text)
        storage.hasBegun = true
    }

    private func writeEnd(_ event: EndedEffect, _ outcome: String) {
        let name = Self.name(of: event.effect)
        write(event.effect.store) { trace in
            trace.describe("e", name, "effect", at: event.time)
            trace.add("id", text: "\(event.effect.store) \(event.effect.number)")
            trace.add("args", [("outcome", .text(outcome))])
        }
    }

    private static func name(of effect: BegunEffect) -> String { effect.id?.description ?? "\(effect.source)" }
}

extension ChromeTraceInstrument {
    /// Writes an event, if the trace has a representation of it.
    public func record(_ event: InstrumentEvent) {
        switch event {
        case .actionAccepted: break
        case .actionReduced(let event): write(event)
        case .actionDropped(let event): write(event)
        case .observersNotified(let event): write(event)
        case .effectBegan(let event): write(event)
        case .effectEnded(let event): writeEnd(event, "ended")
        case .effectCancelled(let event): writeEnd(event, "cancelled")
        case .effectFailed(let event, let error):
            writeEnd(event, "failed: \(ValueDescription.text(of: error))")
        }
    }

    private func write(_ event: ReducedAction) {
        let name = describe(event.action)
        write(event.store) { trace in
            trace.describe("X", name, "action", at: event.time)
            trace.add("dur", event.duration)
            trace.add("args", [("number", .number(event.number)), ("revision", .number(event.revision))])
        }
    }

    private func write(_ event: NotifiedObservers) {
        write(event.store) { trace in
            trace.describe("X", "notify", "observers", at: event.time)
            trace.add("dur", event.duration)
            trace.add("args", [("number", .number(event.number)), ("observers", .number(UInt64(event.observers)))])
        }
    }

    private func write(_ event: DroppedAction) {
        let name = event.action.map { describe($0) } ?? "an action"
        write(event.store) { trace in
            trace.describe("i", name, "dropped", at: event.time)
            trace.add("s", text: "t")
            trace.add("args", [("reason", .text("\(event.reason)")), ("count", .number(UInt64(event.count)))])
        }
    }

    private func write(_ event: BegunEffect) {
        let name = Self.name(of: event)
        write(event.store) { trace in
            trace.describe("b", name, "effect", at: event.time)
            trace.add("id", text: "\(event.store) \(event.number)")
            let cause = event.cause.map { [(name: "cause", value: TraceEvent.Argument.number($0))] } ?? []
            trace.add("args", [(name: "source", value: .text("\(event.source)"))] + cause)
        }
    }
}
