import ActorStore
import ActorStoreSimulation

/// The operations of senders on a depot.
enum DepotOperation: Sendable {
    case dispatch, send, batch(Int), forbidden, snapshot, state, observe
    case deliver(item: Int, failures: Int, isRevoked: Bool)
    case cancel(item: Int)
    case pause(milliseconds: Int)

    static func random(using generator: inout SimulationGenerator) -> DepotOperation {
        switch generator.number(below: 14) {
        case 0, 1: .dispatch
        case 2, 3: .send
        case 4: .batch(2 + generator.number(below: 2))
        case 5: .forbidden
        case 6: .snapshot
        case 7: .state
        case 8: .observe
        case 9, 10, 11:
            .deliver(
                item: generator.number(below: 2),
                failures: generator.number(below: 4),
                isRevoked: generator.number(below: 4) == 0
            )
        case 12: .cancel(item: generator.number(below: 2))
        default: .pause(milliseconds: generator.number(below: 30))
        }
    }
}

/// A user of a depot: at the root, or at a shelf.
final class DepotSender: @unchecked Sendable {
    // Sound: `last` is used by one task, which runs sequentially.
    private var last = 0

    let number: Int
    private let shelf: Int?
    private let system: DepotSystem
    private let sender: StoreSender<[Depot.Entry], [Depot.Entry]>
    /// The entries that were accepted, in order.
    private(set) var accepted: [Depot.Entry] = []

    init(_ number: Int, of system: DepotSystem) {
        self.number = number
        self.system = system
        // The first one works at the root, the others at a shelf each, and again.
        shelf = number % 3 == 0 ? nil : number % 3 - 1
        sender = system.history.sender(number, through: system.access(to: shelf))
    }

    private func entry(endsTurn: Bool = true, isForbidden: Bool = false) -> Depot.Entry {
        last += 1
        return Depot.Entry(sender: number, number: last, shelf: shelf, endsTurn: endsTurn, isForbidden: isForbidden)
    }

    func perform(_ operation: DepotOperation) async throws {
        switch operation {
        case .dispatch:
            let entry = entry()
            try await sender.dispatch([entry])
            accepted.append(entry)
            // The snapshot that follows is checked with the history: it must show the entry.
            let entries = await sender.snapshot()
            try Depot.require(entries.contains(entry), "A snapshot after a dispatch does not show it.")
        case .send:
            let entry = entry()
            if sender.send([entry]) { accepted.append(entry) }
        case .batch(let count):
            let entries = (1...count).map { entry(endsTurn: $0 == count) }
            if sender.send(entries) { accepted += entries }
        case .forbidden:
            let error = await thrown { try await self.sender.dispatch([self.entry(isForbidden: true)]) }
            try Depot.require(
                error as? StoreError == .rejected(by: "gatekeeper"),
                "It was not rejected: \(error as Any)"
            )
        case .snapshot:
            await sender.snapshot()
        case .state:
            await sender.state()
        case .observe:
            let entry = entry()
            try await sender.dispatch([entry])
            accepted.append(entry)
            for await entries in system.entries(at: shelf) {
                try Depot.require(entries.contains(entry), "An observation after a dispatch does not begin with it.")
                break
            }
        case .deliver(let item, let failures, let isRevoked):
            last += 1
            let delivery = Depot.Delivery(
                number: number * 1_000 + last,
                item: item,
                shelf: shelf,
                failures: failures,
                isRevoked: isRevoked
            )
            try await system.dispatch(.deliver(delivery), at: shelf)
        case .cancel(let item):
            try await system.dispatch(.cancel(item: item, shelf: shelf), at: shelf)
        case .pause(let milliseconds):
            try await system.simulation.clock.sleep(for: .milliseconds(milliseconds))
        }
    }

    /// Ensures that the last sent actions have arrived.
    func settle() async { await sender.state() }
}

private func thrown(_ body: () async throws -> Void) async -> (any Error)? {
    do { try await body() } catch { return error }
    return nil
}
