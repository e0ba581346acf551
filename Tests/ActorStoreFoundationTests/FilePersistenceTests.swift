import ActorStore
import ActorStoreFoundation
import Foundation
import Testing

@Suite("Shared values in files", .timeLimit(.minutes(2)))
struct FilePersistenceTests {
    struct Settings: Codable, Equatable {
        var isDark = false
        var names: [String] = []
    }

    func withFile(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.appendingPathComponent("settings.json"))
    }

    @Test("A value is written to its file, and read again after a restart")
    func roundTrip() async throws {
        try await withFile { url in
            let first = Shared(Settings(), persistence: FilePersistence(at: url))
            try await first.ready()
            #expect(first.value == Settings())
            for number in 0..<50 { try await first.update { $0.names.append("\(number)") } }
            await first.shutdown()
            let second = Shared(Settings(), persistence: FilePersistence(at: url))
            try await second.ready()
            #expect(second.value.names == (0..<50).map(String.init))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).count == 1
            )
        }
    }

    @Test("A file that holds something else is an error, and is left as it is")
    func garbage() async throws {
        try await withFile { url in
            try Data("{".utf8).write(to: url)
            let shared = Shared(Settings(), persistence: FilePersistence(at: url))
            await #expect(throws: DecodingError.self) { try await shared.ready() }
            await #expect(throws: StoreError.notReady) { try await shared.update { $0.isDark = true } }
            await shared.shutdown()
            #expect(try Data(contentsOf: url) == Data("{".utf8))
        }
    }

    @Test("A file that cannot be written reaches the errors")
    func unwritable() async throws {
        try await withFile { url in
            let shared = Shared(
                Settings(),
                persistence: FilePersistence(at: url.appendingPathComponent("not a directory/settings.json"))
            )
            try await shared.update { $0.isDark = true }
            var errors = shared.errors.makeAsyncIterator()
            #expect(await errors.next()?.error is CocoaError)
        }
    }
}
