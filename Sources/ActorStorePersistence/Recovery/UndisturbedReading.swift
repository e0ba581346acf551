extension ActionLogConnection {
    /// Reads a log, and reads it again if something is missing that another store has deleted behind a newer snapshot
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - attempts: The number of times that the log is read at most.
    ///   - body: Reads the log by this connection; the log had the status just before.
    ///   - isWhole: Returns whether nothing is missing in what was read.
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
    /// Whether a newer snapshot leaves what cannot be read behind.
    var isMendedBySnapshot: Bool { [.trimmed, .damaged, .otherReducer].contains(code) }
}
