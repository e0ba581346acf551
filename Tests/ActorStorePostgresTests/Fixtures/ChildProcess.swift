#if Postgres
    import Foundation
    import Synchronization

    /// A program beside the tests.
    ///
    /// Not Foundation's: that waits for descriptors which other children have as well.
    struct ChildProcess: Sendable {
        let id: pid_t

        /// Starts a program.
        ///
        /// - Parameters:
        ///   - input: The descriptor of its input; nothing if nil.
        ///   - output: The file of its output.
        init(_ arguments: [String], input: Int32? = nil, output: String = "/dev/null") throws {
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
                throw FixtureFailure("\(arguments[0]) cannot be started: \(String(cString: strerror(error)))")
            }
            self.id = id
        }

        /// Waits for the end.
        ///
        /// - Returns: The exit status, or the signal that ended it.
        @discardableResult
        func wait() -> Int32 {
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            return status
        }

        /// Runs a program, and waits for its end.
        ///
        /// - Returns: Its output.
        @discardableResult
        static func run(_ arguments: [String]) throws -> String {
            let output = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID())").path
            defer { try? FileManager.default.removeItem(atPath: output) }
            let status = try ChildProcess(arguments, output: output).wait()
            let said = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            guard status == 0 else {
                throw FixtureFailure("\(arguments.joined(separator: " ")) has failed with \(status): \(said)")
            }
            return said
        }
    }

    /// The reason why no server is available for the tests.
    struct FixtureFailure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    /// A shell script that reads its input, which ends when this process ends, in any way.
    final class Watchdog: Sendable {
        private let shell: ChildProcess
        private let writing: Mutex<Int32?>

        init(_ script: String, _ arguments: [String], as user: [String] = [], output: String = "/dev/null") throws {
            var ends: [Int32] = [-1, -1]
            let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
            guard socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else { throw FixtureFailure("No descriptors") }
            defer { close(ends[0]) }
            writing = Mutex(ends[1])
            shell = try ChildProcess(user + ["sh", "-c", script] + arguments, input: ends[0], output: output)
        }

        /// Writes a line, ends the input, and waits for the script.
        func end(_ line: String) {
            let descriptor = writing.withLock { descriptor in
                defer { descriptor = nil }
                return descriptor
            }
            guard let descriptor else { return }
            _ = send(descriptor, line + "\n", line.utf8.count + 1, Int32(MSG_NOSIGNAL))
            close(descriptor)
            shell.wait()
        }
    }
#endif
