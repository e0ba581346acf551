import ActorStore

extension TestStore {
    /// Describes an action as you write it in a step.
    func describe(_ action: any Sendable) -> String {
        let isCase = Mirror(reflecting: action).displayStyle == .enum
        return "\(isCase ? "." : "")\(ValueDescription(of: action))"
    }

    func difference<Value>(from old: Value, to new: Value) -> String {
        "\n\n\(ValueDifference(from: old, to: new))"
    }

    func count(_ number: Int, _ one: String, _ several: String) -> String { "\(number) \(number == 1 ? one : several)" }

    func list(_ received: some Collection<TestStoreLog<State, Action>.Reduction>) -> String {
        lines(of: received) { "  \(describe($0.action))" }
    }

    func list(_ running: [TestStoreLog<State, Action>.RunningEffect]) -> String {
        lines(of: running) { running in
            let identity = running.effect.id.map { " \"\($0)\"" } ?? ""
            let action = running.action.map { " of \(describe($0))" } ?? ""
            return "  the effect\(identity)\(action), written at \(running.effect.source)"
        }
    }

    /// Returns a line for each of the first elements: an endless effect can send millions of actions.
    private func lines<Element>(of elements: some Collection<Element>, _ describe: (Element) -> String) -> String {
        let limit = 100
        let rest = elements.count > limit ? ["  … and \(elements.count - limit) more"] : []
        return (elements.prefix(limit).map(describe) + rest).joined(separator: "\n")
    }

    /// Describes an operation that has not ended in time, and what it may wait for.
    func unfinished(_ title: String, _ ending: EventCounter.Ending, _ limit: Duration) -> String {
        let reason = ending == .cancelled ? "when the test was cancelled" : "within \(limit)"
        let waiting = store.statistics.waitingActions
        let hint = waiting == 0 ? "" : " \(count(waiting, "action waits", "actions wait")) in the store."
        return "\(title) has not ended \(reason).\(hint) \(inFlight(orElse: "No effect runs."))"
    }

    /// Describes the running effects, for a message.
    func inFlight(orElse nothing: String) -> String {
        let running = session.take { $0.running }
        return running.isEmpty ? nothing : "These effects run:\n" + list(running)
    }
}
