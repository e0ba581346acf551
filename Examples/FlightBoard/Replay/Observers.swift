import ActorStore

/// Those who follow the board: one for each airport, one for each carrier's mean delay, one for the whole.
///
/// All of them begin to observe when this is made, so that a replay that ends before their tasks run is seen to its
/// end as well.
struct Observers: Sendable {
    private let display: any BoardDisplay
    private let whole: StoreSequence<BoardFigures>
    private let airports: [(AirportCode, StoreSequence<AirportFigures>)]
    private let carriers: [(CarrierCode, StoreSequence<Double?>)]

    /// One observer's last value.
    private enum Seen: Sendable {
        case whole(BoardFigures?)
        case airport(AirportCode, AirportFigures?)
        case carrier(CarrierCode, Double?)
    }

    init(store: Store<Board.State, Board.Action>, schedule: Schedule, display: any BoardDisplay) {
        self.display = display
        whole = store.values(of: \.whole)
        airports = schedule.airports.map { code in (code, store.values(of: \.[airport: code])) }
        carriers = schedule.carriers.map { code in (code, store.values(of: \.[meanDelayOf: code])) }
    }

    /// Follows until the store is shut down.
    func follow() async -> LastSeen {
        await withTaskGroup(of: Seen.self) { group in
            group.addTask { .whole(await followWhole()) }
            for (code, figures) in airports {
                group.addTask { .airport(code, await follow(figures, of: code)) }
            }
            for (code, means) in carriers {
                group.addTask { .carrier(code, await follow(means, of: code)) }
            }
            var last = LastSeen()
            for await seen in group {
                switch seen {
                case .whole(let figures): last.whole = figures
                case .airport(let code, let figures): last.airports[code] = figures
                case .carrier(let code, let mean): last.carriers[code] = mean
                }
            }
            return last
        }
    }

    private func followWhole() async -> BoardFigures? {
        var last: BoardFigures?
        for await figures in whole {
            await display.show(figures)
            last = figures
        }
        return last
    }

    private func follow(_ values: StoreSequence<AirportFigures>, of code: AirportCode) async -> AirportFigures? {
        var last: AirportFigures?
        for await figures in values {
            await display.show(figures, of: code)
            last = figures
        }
        return last
    }

    private func follow(_ values: StoreSequence<Double?>, of code: CarrierCode) async -> Double? {
        var last: Double?
        for await mean in values {
            await display.show(meanDelay: mean, of: code)
            last = mean
        }
        return last
    }
}
