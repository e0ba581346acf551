import ActorStore
import ActorStoreComposition
import Testing

@testable import TestFixtures

@Suite("Issue reporters", .timeLimit(.minutes(10)))
struct StoreIssueReporterTests {
    @Test("The reporter bound to the task receives issues of the task and its child tasks, with their source location")
    func scoped() async {
        let issues = Collector<ReportedIssue>()
        let line: UInt = #line + 2
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0) }) {
            StoreIssueReporter.report("first")
            await Task { StoreIssueReporter.report("second") }.value
        }
        #expect(issues.elements.map(\.message) == ["first", "second"])
        #expect(issues.elements.first?.location.line == line)
        #expect(issues.elements.first?.description.contains("IssueReporterTests.swift:\(line): first") == true)
    }

    @Test("An unimplemented function reports each call, and returns a placeholder or throws")
    func notImplemented() async {
        struct Client: Sendable {
            var name: @Sendable (Int) -> String
            var load: @Sendable (Int, String) async throws -> Int
        }
        let client = Client(
            name: unimplemented("Client.name", placeholder: "?"),
            load: unimplemented("Client.load")
        )
        let issues = Collector<String>()
        await StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0.message) }) {
            #expect(client.name(1) == "?")
            await #expect(throws: UnimplementedError(name: "Client.load")) { try await client.load(1, "x") }
        }
        #expect(
            issues.elements == [
                "Client.name was called, and is not implemented.", "Client.load was called, and is not implemented.",
            ]
        )
    }

    #if os(Linux) || os(macOS)
        @Test("Without a task's reporter, issues go to standard error, or to the reporter of the process")
        func processReporter() async throws {
            let result = try await #require(
                processExitsWith: .success,
                observing: [\.standardErrorContent, \.standardOutputContent]
            ) {
                StoreIssueReporter.report("to standard error")
                StoreIssueReporter.setDefault(StoreIssueReporter { print("reported:", $0.message) })
                StoreIssueReporter.report("elsewhere")
            }
            let error = String(decoding: result.standardErrorContent, as: UTF8.self)
            let output = String(decoding: result.standardOutputContent, as: UTF8.self)
            #expect(error.contains("IssueReporterTests.swift"))
            #expect(error.contains(": to standard error\n") && !error.contains("elsewhere"))
            #expect(output.contains("reported: elsewhere"))
        }
    #endif
}
