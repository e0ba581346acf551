import ActorStoreRedis
import Foundation

/// A Redis server for benchmarks, which acknowledges nothing that is not on its disk.
final class RedisInstance: Sendable {
    /// One whose syncs are those of the disk, and one whose syncs are slow.
    private static let onDisk = Result { try RedisInstance(.disk) }
    private static let slow = Result { try RedisInstance(.slow) }

    /// One for all benchmarks with that sync time.
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
                "--appendonly", "yes", "--appendfsync", "always",
            ],
            in: folder,
            syncTime
        )
        self.port = port
        _ = try process.waitUntilReady { try PlainRedis(port: port) }
    }

    func log(_ stream: String) -> RedisLog { Self.log(stream, port: port) }

    /// A log in a server that another process has started.
    static func log(_ stream: String, port: Int) -> RedisLog {
        RedisLog(RedisServer(.host("127.0.0.1", port: port), answerTimeout: .seconds(60)), stream: stream)
    }
}
