import ActorStore

extension TestStore {
    /// Compares the state after an action with the expected one, and goes on from there.
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
                    TestFailure.note("Passed over what \(title) has changed.\(difference)", at: location)
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

    /// Checks that the state is as the test says, where it says something.
    ///
    /// What the closure sets, it leaves as it is in the new state. What it changes relatively, as a count, is in the
    /// new state as the closure makes it of the old one.
    ///
    /// - Parameter expected: What the closure makes of the old state.
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
                    + "it is called with that as well, because what it does not mention may have changed.",
                at: location
            )
        }
        guard part == new || ValueAgreement().holds(of: new, with: expected, and: part) else {
            return report(part, new, title, location)
        }
        guard exhaustivity.showsSkipped else { return }
        TestFailure.note(
            "Passed over what else \(title) has changed.\(difference(from: expected, to: new))",
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

    /// Goes on to the state after what has come, which should have been received before.
    func passOver(
        _ received: [TestStoreLog<State, Action>.Reduction],
        before step: String,
        at location: TestLocation
    ) {
        guard exhaustivity == .on else { return passOver(received[...], at: location) }
        let unasserted = goOn(to: received[...])
        guard !unasserted.isEmpty else { return }
        TestFailure.report(
            "\(count(unasserted.count, "action has", "actions have")) to be received before \(step):\n"
                + list(unasserted),
            at: location
        )
    }

    /// Goes on to the state after actions that the test does not mention.
    func passOver(_ received: ArraySlice<TestStoreLog<State, Action>.Reduction>, at location: TestLocation) {
        let unasserted = goOn(to: received)
        guard exhaustivity.showsSkipped, !unasserted.isEmpty else { return }
        TestFailure.note(
            "Passed over \(count(unasserted.count, "action", "actions")):\n\(list(unasserted))",
            at: location
        )
    }

    /// Goes on to the state after actions.
    ///
    /// - Returns: Those for which the test has not failed yet.
    private func goOn(
        to received: ArraySlice<TestStoreLog<State, Action>.Reduction>
    ) -> [TestStoreLog<State, Action>.Reduction] {
        if let last = received.last { state = last.state }
        return received.filter { !$0.isLate }
    }

    /// What is left at the end of an exhaustive test.
    ///
    /// - Parameter looksAtState: Whether the test fails if something that is no action has changed the state. To look
    ///   waits for a reducer that is at work.
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
                + "Have them end, cancel them, or pass over them with skipInFlightEffects().",
            at: location
        )
    }

    /// Fails the test if the state is another one than after the last action.
    private func checkState(at location: TestLocation) {
        let last = store.snapshot
        // An action that another thread has sent meanwhile has changed it, or a dispatch whose time was over.
        guard last != state, session.take({ $0.received.isEmpty && $0.running.isEmpty }) else { return }
        let difference = difference(from: state, to: last)
        state = last
        TestFailure.report(
            "Something other than an action, such as withIsolation, has changed the state, and no step has expected it."
                + difference,
            at: location
        )
    }

    /// Fails the test if actions wait that the store does not come to, although no effect runs.
    func checkRest(at location: TestLocation) {
        let waiting = store.statistics.waitingActions
        guard waiting > 0, session.take({ $0.running.isEmpty }) else { return }
        TestFailure.report(
            "The test has ended, but \(count(waiting, "action waits", "actions wait")) in the store, which an observer "
                + "suspends, or which has no state yet.",
            at: location
        )
    }

    /// Fails the test for errors that nobody made an action of, and for issues, of reducers and effects.
    func reportProblems(at location: TestLocation) {
        let (failures, issues) = session.take { $0.takeProblems() }
        for failure in failures { TestFailure.report("\(failure)", at: location) }
        for issue in issues { TestFailure.report("\(issue)", at: location) }
    }
}
