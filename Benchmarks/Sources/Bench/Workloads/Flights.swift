import ActorStore
import Foundation
import TreeCollections

/// A board that counts departures by airport and by carrier.
struct FlightCounts: Reducer {
    struct Tally: Equatable, Sendable {
        var flights = 0
        var cancelled = 0
        var delaySum = 0
    }

    struct State: Equatable, Sendable {
        var events = 0
        var airports: [String: Tally] = [:]
        var carriers: [String: Tally] = [:]

        subscript(airport code: String) -> Tally { airports[code] ?? Tally() }
        subscript(carrier code: String) -> Tally { carriers[code] ?? Tally() }
    }

    enum Action: Sendable {
        case departed(airport: String, carrier: String, delay: Int)
        case cancelled(airport: String, carrier: String)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        state.events += 1
        switch action {
        case .departed(let airport, let carrier, let delay):
            state.airports[airport, default: Tally()].flights += 1
            state.airports[airport, default: Tally()].delaySum += delay
            state.carriers[carrier, default: Tally()].flights += 1
            state.carriers[carrier, default: Tally()].delaySum += delay
        case .cancelled(let airport, let carrier):
            state.airports[airport, default: Tally()].cancelled += 1
            state.carriers[carrier, default: Tally()].cancelled += 1
        }
        return .none
    }
}

/// The board with tables whose versions share their common parts.
struct FlightTables: Reducer {
    struct State: Equatable, Sendable {
        var events = 0
        var airports: TreeDictionary<String, FlightCounts.Tally> = [:]
        var carriers: TreeDictionary<String, FlightCounts.Tally> = [:]
    }

    func reduce(into state: inout State, action: FlightCounts.Action) -> Effect<FlightCounts.Action> {
        state.events += 1
        switch action {
        case .departed(let airport, let carrier, let delay):
            state.airports[airport, default: FlightCounts.Tally()].flights += 1
            state.airports[airport, default: FlightCounts.Tally()].delaySum += delay
            state.carriers[carrier, default: FlightCounts.Tally()].flights += 1
            state.carriers[carrier, default: FlightCounts.Tally()].delaySum += delay
        case .cancelled(let airport, let carrier):
            state.airports[airport, default: FlightCounts.Tally()].cancelled += 1
            state.carriers[carrier, default: FlightCounts.Tally()].cancelled += 1
        }
        return .none
    }
}

/// The events of a file in the format of FlightBoard's.
struct FlightEvents: Sendable {
    let actions: [FlightCounts.Action]
    let airports: [String]
    let carriers: [String]

    /// - Parameter path: The file; the month that comes with FlightBoard if nil.
    init(path: String?) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..")
        let example = root.appendingPathComponent("Examples/FlightBoard/Resources/flights-2013-01.csv")
        let file = path.map { URL(fileURLWithPath: $0) } ?? example
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let header = lines.first.map { $0.split(separator: ",", omittingEmptySubsequences: false) } ?? []
        guard let delay = header.firstIndex(of: "dep_delay"), let carrier = header.firstIndex(of: "carrier"),
            let origin = header.firstIndex(of: "origin")
        else { throw FlightEventsError(description: "'\(file.path)' has no columns dep_delay, carrier and origin.") }
        var actions: [FlightCounts.Action] = []
        var airports: Set<String> = []
        var carriers: Set<String> = []
        for line in lines.dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == header.count else {
                throw FlightEventsError(description: "'\(file.path)' has a row of \(fields.count) fields: \(line)")
            }
            let airport = String(fields[origin])
            let code = String(fields[carrier])
            airports.insert(airport)
            carriers.insert(code)
            // A flight without a delay did not depart.
            let departure = Int(fields[delay]).map {
                FlightCounts.Action.departed(airport: airport, carrier: code, delay: $0)
            }
            actions.append(departure ?? .cancelled(airport: airport, carrier: code))
        }
        self.actions = actions
        self.airports = airports.sorted()
        self.carriers = carriers.sorted()
    }
}

/// The reason why a file of flights cannot be used.
struct FlightEventsError: Error, CustomStringConvertible {
    let description: String
}
