import ActorStore

extension History where Response: Equatable {
    /// Checks that the history is linearizable: that there is an order of all operations in which each has the answer
    /// of the specification, and in which each comes after the operations that had been answered when it was invoked,
    /// and after those of its own process (Herlihy and Wing, "Linearizability: a correctness condition for concurrent
    /// objects", ACM Transactions on Programming Languages and Systems 12(3), 1990).
    ///
    /// - Parameters:
    ///   - specification: The results of the operations when they run one at a time.
    ///   - limit: The number of configurations to try before giving up; each takes memory for a state.
    /// - Returns: Such an order, without the operations that have no answer and did not need to take effect. If the
    ///   specification has independent parts, one part comes after the other.
    /// - Throws: A ``LinearizabilityViolation``, or ``UndecidedHistory``.
    /// - Complexity: Exponential in the number of overlapping operations in the worst case. For linearizable histories
    ///   it is close to linear, if comparing and hashing a state is constant, and as long as operations without an
    ///   answer take effect more or less in the order of their invocation; if they do not, each configuration takes a
    ///   bit for each operation without an answer.
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
                    state: ValueDescription(of: state).line,
                    count: records.count
                )
            case .undecided:
                throw UndecidedHistory(limit: limit)
            }
        }
    }

    /// The parts that can be checked separately.
    ///
    /// Parts are independent for the order in time (Herlihy and Wing, section 3.2). They are not for the order of one
    /// process: an operation that takes effect after one without an answer keeps the parts of both together.
    private func parts<Specification: SequentialSpecification>(
        by specification: Specification
    ) -> [[RecordedOperation<Operation, Response>]]
    where Specification.Operation == Operation, Specification.Response == Response {
        var groups = DisjointParts()
        var own: [AnyHashable] = []
        var unanswered = UnansweredOperations<AnyHashable>()
        for record in operations {
            guard let part = specification.part(of: record.operation) else { return [operations] }
            own.append(part)
            for before in unanswered.predecessors(of: record, part) { groups.join(before, part) }
        }
        var order: [AnyHashable] = []
        var parts: [AnyHashable: [RecordedOperation<Operation, Response>]] = [:]
        for (record, part) in zip(operations, own) {
            let group = groups.group(of: part)
            if parts[group] == nil { order.append(group) }
            parts[group, default: []].append(record)
        }
        return order.compactMap { parts[$0] }
    }
}

/// Parts of a specification, in groups that must be checked together.
private struct DisjointParts {
    private var parents: [AnyHashable: AnyHashable] = [:]

    /// Returns the part that represents the group of a part.
    mutating func group(of part: AnyHashable) -> AnyHashable {
        var root = part
        while let parent = parents[root] { root = parent }
        if root != part { parents[part] = root }
        return root
    }

    mutating func join(_ one: AnyHashable, _ other: AnyHashable) {
        let (one, other) = (group(of: one), group(of: other))
        if one != other { parents[other] = one }
    }
}
