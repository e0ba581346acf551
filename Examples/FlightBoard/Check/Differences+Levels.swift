extension Differences {
    /// A sentence for each figure that does not add up from one level of the tree to the next; empty when all do.
    static func betweenLevels(of state: BoardTree.State) -> [String] {
        var differences: [String] = []
        func compare(_ name: String, _ upper: Int, _ lower: Int) {
            if upper != lower { differences.append("\(name): \(upper), but \(lower) on the level below") }
        }
        let whole = state.whole
        let airports = state.airports.values.map(\.figures)
        compare("flights of the board", whole.flights, airports.sum(\.flights))
        compare("departed flights of the board", whole.departed, airports.sum(\.departed))
        compare("arrived flights of the board", whole.arrived, airports.sum(\.arrived))
        compare("cancelled flights of the board", whole.cancelled, airports.sum(\.cancelled))
        compare("diverted flights of the board", whole.diverted, airports.sum(\.diverted))
        for (code, airport) in state.airports.sorted(by: { $0.key < $1.key }) {
            let carriers = state.carriers.filter { $0.key.origin == code }.map(\.value)
            let name = code.text.printable()
            compare("flights of \(name)", airport.figures.flights, carriers.sum(\.flights))
            compare("departed flights of \(name)", airport.figures.departed, carriers.sum(\.departed))
            compare("cancelled flights of \(name)", airport.figures.cancelled, carriers.sum(\.cancelled))
        }
        return differences + betweenTableAndTotals(of: state)
    }

    /// A sentence for each figure that differs between the board's flights and its counts.
    private static func betweenTableAndTotals(of state: BoardTree.State) -> [String] {
        var counted = BoardFigures()
        for status in state.flights.values {
            counted.flights += 1
            switch status.phase {
            case .scheduled: break
            case .departed: counted.departed += 1
            case .cancelled: counted.cancelled += 1
            case .arrived:
                counted.departed += 1
                counted.arrived += 1
            case .diverted:
                counted.departed += 1
                counted.diverted += 1
            }
        }
        counted.alertsRaised = state.whole.alertsRaised
        counted.alertsCleared = state.whole.alertsCleared
        counted.announcements = state.whole.announcements
        counted.time = state.whole.time
        return counted == state.whole ? [] : ["the board's flights are not those that it has counted"]
    }
}

extension Array {
    fileprivate func sum(_ figure: (Element) -> Int) -> Int { reduce(0) { $0 + figure($1) } }
}
