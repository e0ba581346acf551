import ActorStore

extension TestStore {
    /// Compares the state after an action with the expected one, and advances `state` to it.
    func check(
        _ change: ((inout State) throws -> Void)?,
        from old: State,
        to new: State,
        after title: String,
        at location: TestLocation
    ) {
        state = new
        guard let change else {
            guard old != new else { return }
            let difference = difference(from: old, to: new)
            switch exhaustivity {
            case .on:
                TestFailure.report(
                    "The state has changed by \(title), but no change was expected (- before, + after).\(difference)",
                    at: location
                )
            case .off(let showsSkipped):
                if showsSkipped {
                    TestFailure.note("Skipped the changes of \(title).\(difference)", at: location)
                }
            }
            return
        }
        do {
            var expected = old
            try change(&expected)
            if expected != new, exhaustivity != .on {
                checkPart(change, expected, new, title, location)
            } else if expected != new {
                report(expected, new, title, location)
            } else if old == new, exhaustivity == .on {
                TestFailure.report(
                    "A change of the state by \(title) was expected, but nothing has changed, and the closure changes "
                        + "nothing either. Leave it out.",
                    at: location
                )
            }
        } catch {
            TestFailure.report("The closure for the state after \(title) has thrown \(error)", at: location)
        }
    }

    /// Compares only the parts of the state that the test mentions.
    ///
    /// A part that the closure sets is left unchanged in the new state. A part that it changes relatively, such as a
    /// count, has in the new state the result of the closure for the old state.
    ///
    /// - Parameter expected: The result of the closure for the old state.
    private func checkPart(
        _ change: (inout State) throws -> Void,
        _ expected: State,
        _ new: State,
        _ title: String,
        _ location: TestLocation
    ) {
        var part = new
        do {
            try change(&part)
        } catch {
            return TestFailure.report(
                "The closure for the state after \(title) has thrown \(error) for the new state. Without exhaustivity "
                    + "it is also called with the new state, because parts that it does not mention may have changed.",
                at: location
            )
        }
        guard part == new || ValueAgreement().holds(of: new, with: expected, and: part) else {
            return report(part, new, title, location)
        }
        guard exhaustivity.showsSkipped else { return }
        TestFailure.note(
            "Skipped further changes of \(title).\(difference(from: expected, to: new))",
            at: location
        )
    }

    private func report(_ expected: State, _ new: State, _ title: String, _ location: TestLocation) {
        TestFailure.report(
            "The state after \(title) is not what was expected (- expected, + actual)."
                + difference(from: expected, to: new),
            at: location
        )
    }

    /// Advances to the state after actions that the test should have received before.
    func passOver(
        _ received: [TestStoreLog<State, Action>.Reduction],
        before step: String,
        at location: TestLocation
    ) {
        guard exhaustivity == .on else { return passOver(received[...], at: location) }
        let unasserted = goOn(to: received[...])
        guard !unasserted.isEmpty else { return }
        TestFailure.report(
            "\(count(unasserted.count, "action must", "actions must")) be received before \(step):\n"
                + list(unasserted),
            at: location
        )
    }

    /// Advances to the state after actions that the test does not mention.
    func passOver(_ received: ArraySlice<TestStoreLog<State, Action>.Reduction>, at location: TestLocation) {
        let unasserted = goOn(to: received)
        guard exhaustivity.showsSkipped, !unasserted.isEmpty else { return }
        TestFailure.note(
            "Skipped \(count(unasserted.count, "action", "actions")):\n\(list(unasserted))",
            at: location
        )
    }

    /// Advances to the state after actions.
    ///
    /// - Returns: The actions for which the test has not failed yet.
    private func goOn(
        to received: ArraySlice<TestStoreLog<State, Action>.Reduction>
    ) -> [TestStoreLog<State, Action>.Reduction] {
        if let last = received.last { state = last.state }
        return received.filter { !$0.isLate }
    }

    /// Fails an exhaustive test for the actions, effects and changes of the state that are left at its end.
    ///
    /// - Parameter looksAtState: Whether the test fails if something other than an action has changed the state. This
    ///   check waits for a running reducer.
    func checkEnd(at location: TestLocation, looksAtState: Bool = true) {
        guard exhaustivity == .on else { return }
        let (received, running) = session.take { ($0.takeReceived($0.received.count), $0.running) }
        let unasserted = goOn(to: received[...])
        if !unasserted.isEmpty {
            TestFailure.report(
                "The test has ended, but \(count(unasserted.count, "action was", "actions were")) not received:\n"
                    + list(unasserted),
                at: location
            )
        }
        guard !running.isEmpty else {
            if unasserted.isEmpty, looksAtState { checkState(at: location) }
            return
        }
        session.take { $0.skipRunning() }
        TestFailure.report(
            "The test has ended, but \(count(running.count, "effect still runs", "effects still run")):\n\(list(running))\n"
                + "End them, cancel them, or skip them with skipInFlightEffects().",
            at: location
        )
    }

    /// Fails the test if the state differs from the one after the last action.
    private func checkState(at location: TestLocation) {
        let last = store.snapshot
        // If an action has come meanwhile, it has changed the state: one of another thread, or a dispatch after its
        // timeout.
        guard last != state, session.take({ $0.received.isEmpty && $0.running.isEmpty }) else { return }
        let difference = difference(from: state, to: last)
        state = last
        TestFailure.report(
            "Something other than an action, such as withIsolation, has changed the state, and no step has expected it."
                + difference,
            at: location
        )
    }

    /// Fails the test if the store has pending actions that it does not reduce, although no effect runs.
    func checkRest(at location: TestLocation) {
        let waiting = store.statistics.waitingActions
        guard waiting > 0, session.take({ $0.running.isEmpty }) else { return }
        TestFailure.report(
            "The test has ended, but \(count(waiting, "action waits", "actions wait")) in the store, which an observer "
                + "suspends, or which has no state yet.",
            at: location
        )
    }

    /// Fails the test for unhandled errors, and for issues, of reducers and effects.
    func reportProblems(at location: TestLocation) {
        let (failures, issues) = session.take { $0.takeProblems() }
        for failure in failures { TestFailure.report("\(failure)", at: location) }
        for issue in issues { TestFailure.report("\(issue)", at: location) }
    }
}
