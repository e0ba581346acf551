import Foundation
import Testing

@testable import FlightBoard

@Suite("The input file")
struct InputFileTests {
    @Test("A missing file is reported")
    func missing() {
        let path = "/no such folder/flights.csv"
        #expect(throws: InputFileError.cannotOpen(path: path, reason: "No such file or directory")) {
            try InputFile(path: path)
        }
    }

    @Test("A directory is reported")
    func directory() {
        let path = FileManager.default.temporaryDirectory.path
        #expect(throws: InputFileError.isDirectory(path: path)) { try InputFile(path: path) }
    }

    @Test("All bytes are read, also of a file larger than one read")
    func content() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("flightboard-\(UUID().uuidString).csv").path
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try InputFile(path: path).bytes == bytes)
    }
}
