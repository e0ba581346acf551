import ActorStoreTesting
import XCTest

/// In XCTest a failing step is a failure of the running test, at the line of the step.
final class XCTestTests: XCTestCase {
    private var recorded: [(description: String, file: String, line: Int)] = []

    /// Collects the message of a failing step, so that it does not fail this test.
    override func recordFailure(
        withDescription description: String,
        inFile filePath: String,
        atLine lineNumber: Int,
        expected: Bool
    ) {
        recorded.append((description, filePath, lineNumber))
    }

    func testAStepThatFailsIsAFailureAtItsLine() async {
        let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
        let line = #line + 1
        await store.dispatch(.tick) { $0.seconds = 2 }
        let failures = recorded
        recorded = []
        guard failures.count == 1, failures[0].line == line, failures[0].file == #filePath,
            failures[0].description.contains("-   seconds: 2")
        else {
            return super.recordFailure(
                withDescription: "The failing step was recorded as \(failures)",
                inFile: #filePath,
                atLine: #line,
                expected: true
            )
        }
    }
}
