extension History where Response: Equatable {
    /// Checks that there is an order of all operations in which each is answered as the specification says, and in which
    /// each comes after those that had been answered when it was asked for, and after those of its own process: that the
    /// history is linearizable (Herlihy and Wing, "Linearizability: a correctness condition for concurrent objects", ACM
    /// Transactions on Programming Languages and Systems 12(3), 1990).
    ///
    /// - Parameters:
    ///   - specification: What the operations do one at a time.
    ///   - limit: How many configurations to try before it gives up; each takes memory for a state.
    /// - Returns: such an order, without those operations that have no answer and did not need to take effect. If the
    ///   specification tells independent parts, one part comes after the other.
    /// - Throws: a ``LinearizabilityViolation``, or ``UndecidedHistory``.
    /// - Complexity: exponential in the number of operations that overlap at the worst; close to linear in histories
    ///   that are linearizable.
    @discardableResult
    public func linearization<Specification: SequentialSpecification>(
        by specification: Specification,
        limit: Int = 1_000_000
    ) throws -> [RecordedOperation<Operation, Response>]
    where Specification.Operation == Operation, Specification.Response == Response {
        try parts(by: specification).flatMap { records in
            var search = LinearizabilitySearch(records, specification)
            switch search.run(limit: limit) {
            case .linearizable(let order):
                return order.map { records[$0] }
            case .stuck(let prefix, let state, let operation):
                var next = state
                throw LinearizabilityViolation(
                    prefix: prefix.map { records[$0] },
                    misfit: records[operation],
                    expected: specification.apply(records[operation].operation, to: &next),
                    state: "\(state)",
                    count: records.count
                )
            case .undecided:
                throw UndecidedHistory(limit: limit)
            }
        }
    }

    private func parts<Specification: SequentialSpecification>(
        by specification: Specification
    ) -> [[RecordedOperation<Operation, Response>]]
    where Specification.Operation == Operation, Specification.Response == Response {
        var order: [AnyHashable] = []
        var parts: [AnyHashable: [RecordedOperation<Operation, Response>]] = [:]
        for record in operations {
            guard let part = specification.part(of: record.operation) else { return [operations] }
            if parts[part] == nil { order.append(part) }
            parts[part, default: []].append(record)
        }
        return order.compactMap { parts[$0] }
    }
}
