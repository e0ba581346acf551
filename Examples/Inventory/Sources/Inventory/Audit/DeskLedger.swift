/// What a desk has said in all of its lives: what its customers know.
struct DeskLedger: Equatable, Sendable {
    /// The orders that it said were accepted; more than one of a name is a defect.
    private(set) var accepted: [OrderID: [Order]] = [:]
    /// What it said had become of them.
    private(set) var settled: [OrderID: Set<Outcome>] = [:]
    /// How many of each item it said were delivered.
    private(set) var delivered: [Item: Int] = [:]
    /// How many orders it found open when it started, and settled.
    private(set) var settledAtStart = 0
    /// What its replica of the stock was at the end.
    private(set) var report: StockReport?
    /// How often it was killed.
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
