import ActorStoreSimulation

/// The entries of every sender, in the order of their reduction.
struct Tally: Hashable, Sendable {
    struct Entry: Hashable, Sendable, CustomStringConvertible {
        let sender: Int
        let number: Int

        var description: String { "\(sender)/\(number)" }
    }

    var entries: [Entry] = []

    static func reduce(_ tally: inout Tally, _ entry: Entry) { tally.entries.append(entry) }

    /// The numbers of one sender.
    final class Numbers: @unchecked Sendable {
        // Sound: used by one sender, which runs sequentially.
        private var last = 0

        func entry(of sender: Int) -> Entry {
            last += 1
            return Entry(sender: sender, number: last)
        }
    }
}

/// The operations of a sender.
enum TallyOperation: CaseIterable, Sendable {
    case dispatch, send, snapshot, state

    func perform(by sender: StoreSender<Tally, Tally.Entry>, _ numbers: Tally.Numbers) async throws {
        switch self {
        case .dispatch: try await sender.dispatch(numbers.entry(of: sender.number))
        case .send: sender.send(numbers.entry(of: sender.number))
        case .snapshot: await sender.snapshot()
        case .state: await sender.state()
        }
    }
}
