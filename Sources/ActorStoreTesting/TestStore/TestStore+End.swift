import ActorStore

extension TestStore {
    /// Waits until all effects have ended. Fails an exhaustive test if they do not end, if actions have not been
    /// received, or if actions are pending in a store that an observer suspends.
    ///
    /// It also fails an exhaustive test if `withIsolation` has changed the state, and no later step has expected that.
    ///
    /// Failures list what is left: actions, and effects with their identity, the action that started them, and their
    /// source location. A test store that is released without this makes the same checks then, without waiting, and
    /// without comparing the state with a change of `withIsolation`.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait, in real time; nil for ``timeout``.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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

    /// Skips the actions that have come and were not received. ``state`` is then the one after them.
    ///
    /// - Parameters:
    ///   - strict: Whether the test fails if there are no such actions.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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
            TestFailure.report("There are no received actions to skip.", at: location)
        }
        passOver(received[...], at: location)
        reportProblems(at: location)
    }

    /// Cancels the running effects, and does not require their end any more. Effects of child stores continue, and are
    /// skipped as well.
    ///
    /// - Parameters:
    ///   - strict: Whether the test fails if no effects run.
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - isolation: The actor on which this runs; by default the caller's.
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
        if running.isEmpty, strict { TestFailure.report("There are no effects to skip.", at: location) }
        if !running.isEmpty, exhaustivity.showsSkipped {
            TestFailure.note("Skipped effects:\n\(list(running))", at: location)
        }
        await onExecutor("The cancellation of the effects", atMost: timeout, location) { [store] in
            await store.cancelAllEffects()
        }
        session.take { $0.skipRunning() }
        await executor.settle(location)
        reportProblems(at: location)
    }
}
