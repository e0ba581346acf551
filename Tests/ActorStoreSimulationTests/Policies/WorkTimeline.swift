/// The steps of an operation and their times, from the beginning of its code, without cancellations: operators applied
/// to a script.
struct WorkTimeline {
    enum Mark: Equatable {
        case entered(attempt: Int)
        case sends(WorkNote)
    }

    /// The end of its code.
    enum Result {
        case success, broken
        /// A timeout has cut it, and has sent its action.
        case cut
        case timedOut

        var isFailure: Bool { self == .broken || self == .timedOut }
    }

    private(set) var marks: [(time: Duration, mark: Mark)] = []
    private(set) var end = Duration.zero
    private(set) var result = Result.success
    let isCaught: Bool
    let isTimer: Bool

    /// - Parameters:
    ///   - body: The operation; nil for a wait only.
    ///   - wrappers: From the inside outwards.
    init(_ number: Int, _ body: WorkPiece.Body?, _ wrappers: [WorkPiece.Wrapper]) {
        if case .script(_, _, true) = body { isCaught = true } else { isCaught = false }
        if case .timer = body { isTimer = true } else { isTimer = false }
        let run = Run(number: number, body: body)
        (end, result) = run.perform(wrappers[...], attempt: 1, from: .zero, &marks)
    }

    private struct Run {
        let number: Int
        let body: WorkPiece.Body?

        typealias End = (Duration, Result)

        func perform(
            _ wrappers: ArraySlice<WorkPiece.Wrapper>,
            attempt: Int,
            from start: Duration,
            _ marks: inout [(time: Duration, mark: Mark)]
        ) -> End {
            let inner = wrappers.dropLast()
            switch wrappers.last {
            case nil:
                return performBody(attempt, from: start, &marks)
            case .delay(let milliseconds):
                return perform(inner, attempt: attempt, from: start + .milliseconds(milliseconds), &marks)
            case .limit(let tenths, let isHandled):
                let deadline = start + .microseconds(tenths * 100)
                var all: [(time: Duration, mark: Mark)] = []
                let (end, result) = perform(inner, attempt: attempt, from: start, &all)
                marks += all.filter { $0.time < deadline }
                if end < deadline { return (end, result) }
                if isHandled { marks.append((deadline, .sends(.timedOut(number)))) }
                return (deadline, isHandled ? .cut : .timedOut)
            case .retry(let attempts, let pause):
                var (attempt, start) = (1, start)
                while true {
                    let (end, result) = perform(inner, attempt: attempt, from: start, &marks)
                    if !result.isFailure || attempt == attempts { return (end, result) }
                    (attempt, start) = (attempt + 1, end + .milliseconds(pause))
                }
            }
        }

        private func performBody(
            _ attempt: Int,
            from start: Duration,
            _ marks: inout [(time: Duration, mark: Mark)]
        ) -> End {
            switch body {
            case nil:
                return (start, .success)
            case .timer(let milliseconds):
                for beat in 0..<200 {
                    let note = WorkNote(sender: number, attempt: attempt, beat: beat)
                    marks.append((start + .milliseconds(milliseconds * (beat + 1)), .sends(note)))
                }
                return (start + .seconds(1_000_000), .success)
            case .script(let beats, let failures, _):
                marks.append((start, .entered(attempt: attempt)))
                var time = start
                for (index, beat) in beats.enumerated() {
                    time += .milliseconds(beat.pause)
                    marks.append((time, .sends(WorkNote(sender: number, attempt: attempt, beat: index))))
                }
                return (time, attempt <= failures ? .broken : .success)
            }
        }
    }
}
