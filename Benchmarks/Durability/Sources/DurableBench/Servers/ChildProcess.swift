import Foundation
import Synchronization

/// The reason why a benchmark cannot be run.
struct SetUpError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A program beside the benchmarks.
struct ChildProcess: Sendable {
    let id: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: Its name or path, and its arguments.
    ///   - input: The descriptor of its input; nothing if nil.
    ///   - output: The file of its output.
    init(_ arguments: [String], input: Int32? = nil, output: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Dispatch block signals, and children inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // In its own group, which Ctrl-C does not end before it has cleaned up.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let error = posix_spawnp(&id, arguments[0], &actions, &attributes, &words, environ)
        guard error == 0 else {
            throw SetUpError("\(arguments[0]) cannot be started: \(String(cString: strerror(error)))")
        }
        self.id = id
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status, or the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Runs a program, and waits for its end.
    static func run(_ arguments: [String]) throws {
        let output = "/var/tmp/bench-durable-\(UUID().uuidString.prefix(13))"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let status = try ChildProcess(arguments, output: output).wait()
        guard status == 0 else {
            let said = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            throw SetUpError("\(arguments.joined(separator: " ")) has failed with \(status): \(said)")
        }
    }
}

/// A server with its files in a folder, which ends with this process in any case, and the folder with it.
final class ServerProcess: Sendable {
    let folder: Folder
    /// Its end is the end of the server.
    private let pipe: Int32
    private let shell: ChildProcess

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - arguments: The program, and its arguments.
    ///   - user: The words that run a program as another user.
    ///   - folder: The folder of its files.
    ///   - syncTime: The duration of its syncs.
    init(_ arguments: [String], as user: [String] = [], in folder: Folder, _ syncTime: SyncTime) throws {
        var ends: [Int32] = [-1, -1]
        // Closed on exec, so that no other child keeps it open.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SetUpError("There are no descriptors.")
        }
        defer { close(ends[0]) }
        var settings: [String] = []
        if let nanoseconds = syncTime.nanoseconds {
            let library = try SlowSync.library()
            settings = ["env", "LD_PRELOAD=\(library)", "SLOW_SYNC_NANOSECONDS=\(nanoseconds)"]
        }
        shell = try ChildProcess(
            user + ["sh", "-c", Self.script, folder.path] + settings + arguments,
            input: ends[0],
            output: folder.path + "/log"
        )
        pipe = ends[1]
        self.folder = folder
    }

    deinit {
        close(pipe)
        _ = shell.wait()
    }

    /// Runs the server until the input ends, and then kills it with all its processes.
    private static let script = """
        "$@" < /dev/null &
        server=$!
        read line
        processes=$(grep -ls "^PPid:[[:space:]]*$server\\$" /proc/[0-9]*/status | cut -d/ -f3)
        kill -KILL $server $processes 2> /dev/null
        wait $server 2> /dev/null
        for process in $processes; do
            while kill -0 $process 2> /dev/null; do sleep 0.01; done
        done
        rm -rf "$0"
        """

    /// Repeats something until it succeeds, for at most the start time of a server.
    func waitUntilReady<Value>(_ body: () throws -> Value) throws -> Value {
        let end = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try body()
            } catch {
                guard ContinuousClock.now < end else {
                    let said = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? ""
                    throw SetUpError("The server does not start: \(error)\n\(said)")
                }
                usleep(20_000)
            }
        }
    }

    /// An unused port of the loopback interface, below those of outgoing connections.
    static func freePort() throws -> Int {
        for _ in 0..<1_000 {
            let port = Int.random(in: 10_000..<30_000)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            address.sin_port = UInt16(port).bigEndian
            let isFree = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            if isFree { return port }
        }
        throw SetUpError("There is no free port.")
    }
}
