import CSlowSync
import Foundation

/// A folder that goes when it is no longer used.
final class Folder: Sendable {
    let path: String

    /// Makes one on a disk: `/tmp` can be memory, on which a sync costs nothing.
    ///
    /// - Parameter owner: The user that it belongs to.
    init(ownedBy owner: String? = nil) throws {
        path = "/var/tmp/bench-durable-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        if let owner { try ChildProcess.run(["chown", "\(owner):", path]) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// How long a disk takes until what was written is on it.
enum SyncTime: String, CaseIterable {
    /// As long as it takes.
    case disk = "of the disk"
    /// As long as disks of servers take, and always the same.
    case slow = "5 ms"

    /// Nil for that of the disk.
    var nanoseconds: UInt64? { self == .slow ? 5_000_000 : nil }
}

/// Has the syncs of this process take a given time, for as long as it is used.
final class SlowSync: Sendable {
    init(nanoseconds: UInt64) { slow_sync_begin(nanoseconds) }
    deinit { slow_sync_end() }

    /// What does the same in a server.
    static func library() throws -> String {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let library = folder.appendingPathComponent("libSlowSync.so").path
        guard FileManager.default.fileExists(atPath: library) else {
            throw SetUpError("\(library) is missing: swift build -c release --package-path Benchmarks/Durability")
        }
        return library
    }
}
