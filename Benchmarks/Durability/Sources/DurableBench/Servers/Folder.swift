import CSlowSync
import Foundation

/// A folder that is deleted after its last use.
final class Folder: Sendable {
    let path: String

    /// Creates one on a disk: `/tmp` can be memory, on which a sync costs nothing.
    ///
    /// - Parameter owner: The user that owns it.
    init(ownedBy owner: String? = nil) throws {
        path = "/var/tmp/bench-durable-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        if let owner { try ChildProcess.run(["chown", "\(owner):", path]) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The duration of a disk's sync.
enum SyncTime: String, CaseIterable {
    /// The actual duration.
    case disk = "of the disk"
    /// The duration of server disks, constant.
    case slow = "5 ms"

    /// Nil for that of the disk.
    var nanoseconds: UInt64? { self == .slow ? 5_000_000 : nil }
}

/// Makes the syncs of this process take a given time while it is used.
final class SlowSync: Sendable {
    init(nanoseconds: UInt64) { slow_sync_begin(nanoseconds) }
    deinit { slow_sync_end() }

    /// The means to do the same in a server.
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
