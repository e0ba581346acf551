/// Names the differences between two computations of the figures.
enum Differences {
    /// A sentence for each figure that differs between the store and the plain loop; empty when all agree.
    static func between(store: Figures, recomputed: Figures) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ name: String, _ first: Value?, _ second: Value?) {
            guard first != second else { return }
            let texts = [first, second].map { value in value.map { "\($0)" } ?? "nothing" }
            differences.append("\(name): the store has \(texts[0]), the file \(texts[1])")
        }
        compare("flights", store.flights, recomputed.flights)
        compare("departed", store.departed, recomputed.departed)
        compare("cancelled", store.cancelled, recomputed.cancelled)
        compare("diverted", store.diverted, recomputed.diverted)
        for code in Set(store.flightsByOrigin.keys).union(recomputed.flightsByOrigin.keys).sorted() {
            compare(
                "flights from \(code.text.printable())",
                store.flightsByOrigin[code],
                recomputed.flightsByOrigin[code]
            )
        }
        for code in Set(store.carriers.keys).union(recomputed.carriers.keys).sorted() {
            let name = code.text.printable()
            let (first, second) = (store.carriers[code], recomputed.carriers[code])
            compare("flights of \(name)", first?.flights, second?.flights)
            compare("departed flights of \(name)", first?.departed, second?.departed)
            compare("cancelled flights of \(name)", first?.cancelled, second?.cancelled)
            compare("minutes of departure delay of \(name)", first?.delaySum, second?.delaySum)
        }
        return differences
    }

    /// A sentence for each observer whose last value is not the state's.
    static func between(state: BoardTree.State, lastSeen: LastSeen) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ name: @autoclosure () -> String, _ state: Value, _ seen: Value?) {
            if state != seen { differences.append("the observer of \(name()) has not seen its end") }
        }
        compare("the whole board", state.whole, lastSeen.whole)
        for (code, airport) in state.airports.sorted(by: { $0.key < $1.key }) {
            compare(code.text.printable(), airport.figures, lastSeen.airports[code])
        }
        for (leg, figures) in state.carriers.sorted(by: { $0.key < $1.key }) {
            let name = "\(leg.carrier.text.printable()) from \(leg.origin.text.printable())"
            compare(name, figures, lastSeen.carriers[leg])
        }
        compare("the flights' changes", state.flights, lastSeen.flights)
        for (flight, status) in lastSeen.awaited.sorted(by: { $0.key.row < $1.key.row }) {
            compare("flight \(flight.row)", state.flights[flight], status)
        }
        return differences
    }
}
