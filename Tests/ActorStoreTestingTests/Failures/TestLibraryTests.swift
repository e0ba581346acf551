import ActorStore
import ActorStoreTesting
import Foundation
import Testing

@Suite("Failures in test libraries", .timeLimit(.minutes(10)))
struct TestLibraryTests {
    @Test("A failed step is an issue of the running test in Swift Testing, at the line of the step")
    func swiftTesting() async {
        let line = #line + 3
        await withKnownIssue("Caused on purpose: a step that fails is an issue of Swift Testing") {
            let store = TestStore(initialState: Timepiece.State(), reducer: Timepiece())
            await store.dispatch(.tick) { $0.seconds = 2 }
        } matching: { issue in
            issue.sourceLocation?.line == line && issue.sourceLocation?.fileID == #fileID
                && issue.comments.contains { $0.rawValue.contains("-   seconds: 2") }
        }
    }

    @Test("An issue reported anywhere fails the test through the reporter of this module")
    func reporter() {
        withKnownIssue("Caused on purpose: a reported issue is one of Swift Testing") {
            StoreIssueReporter.$scoped.withValue(.failingTests()) { StoreIssueReporter.report("Mind the gap.") }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("Mind the gap.") }
        }
    }
}
