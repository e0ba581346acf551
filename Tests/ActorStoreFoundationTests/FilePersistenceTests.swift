import ActorStore
import ActorStoreCommands
import ActorStoreFoundation
import Foundation
import Synchronization
import Testing

@Suite("Shared values in files", .timeLimit(.minutes(10)))
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
            let first = SharedValue(Settings(), persistence: FilePersistence(at: url))
            try await first.ready()
            #expect(first.value == Settings())
            for number in 0..<50 { try await first.update { $0.names.append("\(number)") } }
            await first.shutdown()
            let second = SharedValue(Settings(), persistence: FilePersistence(at: url))
            try await second.ready()
            #expect(second.value.names == (0..<50).map(String.init))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).count == 1
            )
        }
    }

    @Test("A file with other contents is an error, and is not changed")
    func garbage() async throws {
        try await withFile { url in
            try Data("{".utf8).write(to: url)
            let shared = SharedValue(Settings(), persistence: FilePersistence(at: url))
            await #expect(throws: DecodingError.self) { try await shared.ready() }
            await #expect(throws: StoreError.notReady) { try await shared.update { $0.isDark = true } }
            await shared.shutdown()
            for await failure in shared.errors { #expect(failure.error is DecodingError) }
            #expect(try Data(contentsOf: url) == Data("{".utf8))
        }
    }

    @Test("A reader of the file during a save finds a whole value, and nothing is left beside it")
    func atomicReplacement() async throws {
        try await withFile { url in
            let shared = SharedValue(Settings(), persistence: FilePersistence(at: url))
            let long = String(repeating: "x", count: 100_000)
            try await shared.update { $0.names = [long] }
            try await shared.save()
            let reading = Task {
                for _ in 0..<200 {
                    let settings = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: url))
                    guard settings.names.allSatisfy({ $0 == long }) else { return false }
                    await Task.yield()
                }
                return true
            }
            for _ in 0..<20 {
                try await shared.update { $0.names = $0.names.count > 4 ? [] : $0.names + [long] }
                try await shared.save()
            }
            #expect(try await reading.value)
            await shared.shutdown()
            let files = try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
            #expect(files == ["settings.json"])
        }
    }

    @Test("A write error reaches the errors")
    func unwritable() async throws {
        try await withFile { url in
            let shared = SharedValue(
                Settings(),
                persistence: FilePersistence(at: url.appendingPathComponent("not a directory/settings.json"))
            )
            try await shared.update { $0.isDark = true }
            var errors = shared.errors.makeAsyncIterator()
            #expect(await errors.next()?.error is CocoaError)
        }
    }

    @Test("A save replaces a symbolic link itself, and not the file that it refers to")
    func symbolicLink() async throws {
        try await withFile { url in
            let other = url.deletingLastPathComponent().appendingPathComponent("other.json")
            try JSONEncoder().encode(Settings(names: ["other"])).write(to: other)
            let before = try Data(contentsOf: other)
            try FileManager.default.createSymbolicLink(at: url, withDestinationURL: other)
            let persistence = FilePersistence<Settings>(at: url)
            #expect(try await persistence.load()?.names == ["other"])
            try await persistence.save(Settings(names: ["own"]))
            #expect(try Data(contentsOf: other) == before)
            let type = try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
            #expect(type == .typeRegular)
            #expect(try await persistence.load()?.names == ["own"])
        }
    }

    /// Records whether it is encoded and decoded on the thread of a task.
    struct Traced: Codable, Equatable {
        static let isOnTasks = Mutex<[String]>([])
        var number = 0

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws {
            Self.note("decoded")
            number = try Int(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            Self.note("encoded")
            try number.encode(to: encoder)
        }

        private static func note(_ event: String) {
            let isOnTask = withUnsafeCurrentTask { $0 != nil }
            isOnTasks.withLock { $0.append("\(event)\(isOnTask ? " on a task" : "")") }
        }
    }

    @Test("A value is encoded and decoded on a thread without a task or a turn")
    func threads() async throws {
        try await withFile { url in
            let first = SharedValue(Traced(number: 0), persistence: FilePersistence(at: url))
            try await first.update { $0.number = 7 }
            try await first.save()
            await first.shutdown()
            let second = SharedValue(Traced(number: 0), persistence: FilePersistence(at: url))
            try await second.ready()
            #expect(second.value.number == 7)
            #expect(Set(Traced.isOnTasks.withLock { $0 }) == ["encoded", "decoded"])
        }
    }
}
