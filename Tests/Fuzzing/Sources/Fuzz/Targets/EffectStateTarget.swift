import ActorStore
import ActorStoreCommands
import Foundation

/// The state of an effect against a name and some numbers, with any number of attempts and any delays.
enum EffectStateTarget {
    private struct Model {
        var name = "idle"
        var (attempt, count, runs) = (0, 0, UInt64(0))

        mutating func begin(_ attempts: Int) -> Bool {
            guard attempts > 0 else { return false }
            (name, attempt, count, runs) = ("running", 0, attempts, runs + 1)
            return true
        }

        mutating func end(_ new: String) -> Bool {
            guard name == "running" else { return false }
            name = new
            return true
        }

        mutating func retry() -> Bool {
            guard name == "running" else { return false }
            if attempt < count - 1 { attempt += 1 } else { name = "failed" }
            return true
        }
    }

    static func run(_ bytes: inout Bytes) {
        let failure = EffectFailure(type: "Oops", message: "oops")
        var state = EffectState<EffectFailure>(id: bytes.word())
        var model = Model()
        while let operation = bytes.next() {
            let (applied, expected): (Bool, Bool)
            switch operation % 8 {
            case 0, 1:
                let (attempts, delay) = (bytes.number(), bytes.duration())
                let backoff = EffectBackoff.exponential(
                    base: bytes.duration(),
                    factor: bytes.number(),
                    limit: bytes.duration()
                )
                if operation % 8 == 0 {
                    applied = state.run(maxAttempts: attempts, delay: delay, backoff: backoff)
                    expected = model.name == "running" ? false : model.begin(attempts)
                } else {
                    applied = state.restart(maxAttempts: attempts, delay: delay, backoff: backoff)
                    expected = model.begin(attempts)
                }
            case 2, 3: (applied, expected) = (state.retryOrFail(with: failure), model.retry())
            case 4: (applied, expected) = (state.succeed(), model.end("succeeded"))
            case 5: (applied, expected) = (state.fail(with: failure), model.end("failed"))
            case 6: (applied, expected) = (state.cancel(), model.end("cancelled"))
            default:
                (applied, expected) = (state.reset(), model.name != "idle")
                model.name = "idle"
            }
            demand(applied == expected, "It says \(applied), and not \(expected).")
            demand(state.runs == model.runs && name(of: state) == model.name, "It is \(state), and not \(model).")
            demand(state.currentAttempt == (model.name == "running" ? model.attempt : nil), "The attempt is wrong.")
            demand((state.delay ?? .zero) >= .zero, "A delay is negative.")
        }
        let copy = try? JSONDecoder().decode(EffectState<EffectFailure>.self, from: JSONEncoder().encode(state))
        demand(copy == state, "What was decoded is \(String(describing: copy)), and not \(state).")
    }

    private static func name(of state: EffectState<EffectFailure>) -> String {
        switch state.status {
        case .idle: "idle"
        case .running: "running"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
