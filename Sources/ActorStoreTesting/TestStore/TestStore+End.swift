import ActorStore

extension TestStore {
    /// Waits until all effects have ended, and fails an exhaustive test if they do not, if actions have not been
    /// received, or if some wait in a store that an observer suspends.
    ///
    /// It also fails an exhaustive test if `withIsolation` has changed the state, and no later step has expected that.
    ///
    /// What is left is named: actions, and effects with their identity, the action that asked for them, and where they
    /// are written. A test store that is released without this does the same then, without waiting, and without
    /// comparing the state with what `withIsolation` may have made of it.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait in real time; nil for ``timeout``.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        let ending = await session.waitUntilIdle(store, atMost: timeout ?? self.timeout, location)
        reportProblems(at: location)
        if exhaustivity == .on {
            if ending == .timedOut { checkRest(at: location) }
            checkEnd(at: location)
        } else {
            passOver(session.take { $0.takeReceived($0.received.count) }[...], at: location)
        }
    }

    /// Passes over the actions that have come and were not received; ``state`` is the one after them then.
    ///
    /// - Parameters:
    ///   - strict: Whether the test fails if there are none.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    public func skipReceivedActions(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        await executor.settle(location)
        let received = session.take { $0.takeReceived($0.received.count) }
        if strict, received.allSatisfy(\.isLate) {
            TestFailure.report("There are no received actions to pass over.", at: location)
        }
        passOver(received[...], at: location)
        reportProblems(at: location)
    }

    /// Cancels the effects that run, and does not ask for their end any more. Those of child stores go on, and are
    /// passed over as well.
    ///
    /// - Parameters:
    ///   - strict: Whether the test fails if there are none.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    public func skipInFlightEffects(
        strict: Bool = true,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        isolation: isolated (any Actor)? = #isolation
    ) async {
        let location = TestLocation(fileID, filePath, line, column)
        await executor.settle(location)
        let running = session.take { $0.running }
        if running.isEmpty, strict { TestFailure.report("There are no effects to pass over.", at: location) }
        if !running.isEmpty, exhaustivity.showsSkipped {
            TestFailure.note("Passed over effects:\n\(list(running))", at: location)
        }
        await onExecutor("The cancellation of the effects", atMost: timeout, location) { [store] in
            await store.cancelAllEffects()
        }
        session.take { $0.skipRunning() }
        await executor.settle(location)
        reportProblems(at: location)
    }
}
