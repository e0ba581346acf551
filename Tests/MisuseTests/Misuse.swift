import Testing

/// A programming error that traps.
struct Misuse: Sendable, CustomTestStringConvertible {
    /// The misuse, as a sentence.
    let testDescription: String
    /// A part of the message that must reach standard error.
    let message: String
    /// Runs the misuse.
    let commit: @Sendable () async throws -> Void

    static let all = [ofStores, ofEffects, ofReducers, ofCollections, ofTests].flatMap(\.self)

    init(_ description: String, _ message: String, _ commit: @escaping @Sendable () async throws -> Void) {
        testDescription = description
        self.message = message
        self.commit = commit
    }
}

// Release builds drop the messages of `precondition`, so `.ci/test-release` runs this in one.
@Suite("Guarantee 12: misuse traps with a message that names it", .timeLimit(.minutes(10)))
struct MisuseTests {
    #if os(Linux) || os(macOS)
        @Test("Misuse traps and prints its message", arguments: Misuse.all)
        func traps(_ misuse: Misuse) async throws {
            let result = try await #require(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) { [description = misuse.testDescription as String] in
                try await Misuse.all.first { $0.testDescription == description }?.commit()
            }
            let text = String(decoding: result.standardErrorContent, as: UTF8.self)
            #expect(text.contains("Fatal error: "))
            #expect(text.contains(misuse.message))
        }
    #endif
}
