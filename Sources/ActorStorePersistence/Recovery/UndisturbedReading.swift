extension ActionLogConnection {
    /// Reads a log, and reads it again if another store has meanwhile deleted entries behind a newer snapshot.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts.
    ///   - body: Reads the log through this connection. The status is from just before.
    ///   - isWhole: Returns whether the result is complete.
    func readUndisturbed<Value>(
        attempts: Int = 100,
        _ body: (any ActionLogConnection, ActionLogStatus) throws(ActionLogError) -> Value,
        isWhole: (Value) -> Bool = { _ in true }
    ) throws(ActionLogError) -> Value {
        for _ in 1..<attempts {
            let status = try status()
            do throws(ActionLogError) {
                let value = try body(self, status)
                if isWhole(value) { return value }
                if try self.status().first == status.first { return value }
            } catch {
                guard error.isMendedBySnapshot, try self.status().first != status.first else { throw error }
            }
        }
        return try body(self, try status())
    }
}

extension ActionLogError {
    /// Whether a newer snapshot can make the unreadable entries unnecessary.
    var isMendedBySnapshot: Bool {
        [.trimmed, .damaged, .undecodable, .unknownSchema, .otherReducer].contains(code)
    }
}
