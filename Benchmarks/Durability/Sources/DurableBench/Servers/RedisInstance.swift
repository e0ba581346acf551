import ActorStoreRedis
import Foundation

/// A Redis server for benchmarks, which acknowledges only what is on its disk.
final class RedisInstance: Sendable {
    /// A server with the syncs of the disk, and one with slow syncs.
    private static let onDisk = Result { try RedisInstance(.disk) }
    private static let slow = Result { try RedisInstance(.slow) }

    /// A server for all benchmarks with that sync time.
    static func shared(_ syncTime: SyncTime) throws -> RedisInstance {
        switch syncTime {
        case .disk: try onDisk.get()
        case .slow: try slow.get()
        }
    }

    private let process: ServerProcess
    let port: Int

    private init(_ syncTime: SyncTime) throws {
        let folder = try Folder()
        let port = try ServerProcess.freePort()
        process = try ServerProcess(
            [
                "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "",
                "--appendonly", "yes", "--appendfsync", "always", "--aof-load-truncated", "no",
            ],
            in: folder,
            syncTime
        )
        self.port = port
        _ = try process.waitUntilReady { try PlainRedis(port: port) }
    }

    func log(_ stream: String) -> RedisLog { Self.log(stream, port: port) }

    /// A log in a server started by another process.
    static func log(_ stream: String, port: Int) -> RedisLog {
        RedisLog(RedisServer(.host("127.0.0.1", port: port), answerTimeout: .seconds(60)), stream: stream)
    }
}
