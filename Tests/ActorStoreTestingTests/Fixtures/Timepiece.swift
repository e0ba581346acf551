import ActorStore
import ActorStoreComposition

/// A stopwatch that ticks each second and can load the record; the feature of most tests here.
struct Timepiece: Reducer {
    struct State: Equatable, Sendable {
        var seconds = 0
        var isRunning = false
        var record: Int?
        var note = ""
    }

    enum Action: Equatable, Sendable {
        case start
        case stop
        case tick
        case loadRecord
        case recordLoaded(Int)
        case write(String)
        case echo(String)
        case leave
    }

    var clock: any Clock<Duration> = ContinuousClock()
    var loadRecord: @Sendable () async throws -> Int = { 42 }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .start:
            state.isRunning = true
            return .run(id: "timer") { [clock] send in
                while true {
                    try await clock.sleep(for: .seconds(1))
                    send(.tick)
                }
            }
        case .stop:
            state.isRunning = false
            return .cancel(id: "timer")
        case .tick:
            state.seconds += 1
            return .none
        case .loadRecord:
            return .run(id: "record") { [loadRecord] send in send(.recordLoaded(try await loadRecord())) }
        case .recordLoaded(let record):
            state.record = record
            return .none
        case .write(let note):
            state.note = note
            return .none
        case .echo(let note):
            state.note = "?"
            return .send(.write(note))
        case .leave:
            return .dismiss()
        }
    }
}

extension CasePath where Root == Timepiece.Action, Value == Int {
    static let recordLoaded = CasePath(embed: Timepiece.Action.recordLoaded) {
        if case .recordLoaded(let record) = $0 { record } else { nil }
    }
}
