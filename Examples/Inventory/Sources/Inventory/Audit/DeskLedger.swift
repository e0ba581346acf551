/// The reports of a desk in all of its lives: what its customers know.
struct DeskLedger: Equatable, Sendable {
    /// The orders reported as accepted; more than one of a name is a defect.
    private(set) var accepted: [OrderID: [Order]] = [:]
    /// Their reported outcomes.
    private(set) var settled: [OrderID: Set<Outcome>] = [:]
    /// The reported deliveries of each item.
    private(set) var delivered: [Item: Int] = [:]
    /// The number of open orders found at its starts, and settled.
    private(set) var settledAtStart = 0
    /// Its replica of the stock at the end.
    private(set) var report: StockReport?
    /// The number of kills.
    private(set) var kills = 0

    mutating func note(_ line: DeskLine) {
        switch line {
        case .opened(let settled): settledAtStart += settled
        case .accepted(let order): accepted[order.id, default: []].append(order)
        case .settled(let id, let outcome): settled[id, default: []].insert(outcome)
        case .delivered(let item, let quantity): delivered[item, default: 0] += quantity
        case .idle: break
        case .stock(let report): self.report = report
        }
    }

    mutating func noteKill() { kills += 1 }
}
