import ActorStore
import ActorStoreSimulation
import Testing

@Suite("Secrets in histories", .timeLimit(.minutes(10)))
struct HistoryRedactionTests {
    struct Password: Redactable, Hashable, Sendable {
        var text = "SECRET"
    }

    /// A safe that returns its contents, and has a copy of them.
    struct Safe: SequentialSpecification {
        var initialState: [Password] { [] }

        func apply(_ operation: Password, to state: inout [Password]) -> Password {
            state.append(operation)
            return operation
        }
    }

    @Test("Records and violations of a history omit redactable values in operations, responses and states")
    func operations() {
        let history = History<Password, Password>(
            [RecordedOperation(process: 1, Password(), Password(text: "WRONG SECRET"), invokedAt: 1, respondedAt: 2)]
        )
        #expect("\(history.operations[0])" == "process 1: <redacted> -> <redacted>")
        let violation = #expect(throws: LinearizabilityViolation<Password, Password>.self) {
            try history.linearization(by: Safe())
        }
        let text = String(describing: violation)
        #expect(
            text.contains("this operation does not fit") && text.contains("<redacted>") && !text.contains("SECRET"),
            "\(text)"
        )
    }

    @Test(
        "A wrong value of an observer is described without its redactable values",
        arguments: [
            ObserverViolation.duplicate(Password(), at: 1), .backwards(Password(), at: 1), .invented(Password(), at: 1),
            .missed(Password(), at: 1), .missedLast(Password(), received: Password()),
        ]
    )
    func observers(_ violation: ObserverViolation<Password>) {
        #expect("\(violation)".contains("<redacted>") && !"\(violation)".contains("SECRET"))
    }
}
