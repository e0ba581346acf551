extension TestStore {
    /// Compares ``state`` with the expected one, without an action.
    ///
    /// ```swift
    /// store.assert { $0.isLoading = false }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The file of the caller, for failures.
    ///   - filePath: The path of the caller's file, for failures.
    ///   - line: The line of the caller, for failures.
    ///   - column: The column of the caller, for failures.
    ///   - expectation: Sets the expected values; the state must be the same afterwards.
    public func assert(
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ expectation: (_ state: inout State) throws -> Void
    ) {
        let location = TestLocation(fileID, filePath, line, column)
        do {
            var expected = state
            try expectation(&expected)
            guard expected != state else { return }
            TestFailure.report(
                "The state is not what was expected (- expected, + actual).\(difference(from: expected, to: state))",
                at: location
            )
        } catch {
            TestFailure.report("The closure for the state has thrown \(error)", at: location)
        }
    }

    /// Runs asynchronous steps with another exhaustivity.
    ///
    /// ```swift
    /// await store.withExhaustivity(.off) {
    ///     await store.dispatch(.signIn)
    ///     await store.receive(.signedIn)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - exhaustivity: The exhaustivity in `section`; afterwards the previous one applies again.
    ///   - isolation: The actor on which this runs; by default the caller's.
    ///   - section: The steps.
    /// - Returns: The value of `section`.
    public func withExhaustivity<Result>(
        _ exhaustivity: Exhaustivity,
        isolation: isolated (any Actor)? = #isolation,
        _ section: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        let before = self.exhaustivity
        defer { self.exhaustivity = before }
        self.exhaustivity = exhaustivity
        return try await section()
    }

    /// Runs synchronous steps with another exhaustivity.
    ///
    /// - Parameters:
    ///   - exhaustivity: The exhaustivity in `section`; afterwards the previous one applies again.
    ///   - section: The steps.
    /// - Returns: The value of `section`.
    public func withExhaustivity<Result>(
        _ exhaustivity: Exhaustivity,
        _ section: () throws -> Result
    ) rethrows -> Result {
        let before = self.exhaustivity
        defer { self.exhaustivity = before }
        self.exhaustivity = exhaustivity
        return try section()
    }
}
