#if Redis
    /// The settings and the condition of a Redis server that decide whether acknowledged entries survive.
    ///
    /// Names and values are those of the server. A value is nil if it is unknown because the ACL user may not use
    /// `CONFIG GET` or `INFO`.
    public struct RedisSettings: Sendable, Equatable {
        /// `redis_version`; with Valkey, the compatible version of Redis.
        public let version: String?
        /// `appendonly`: whether changes are written to a file.
        public let appendonly: String?
        /// `appendfsync`: when that file is synced to the disk.
        public let appendfsync: String?
        /// `aof-load-truncated`: whether a server starts with a file whose end is truncated.
        public let aofLoadTruncated: String?
        /// `no-appendfsync-on-rewrite`: whether syncing is suspended while a file is rewritten.
        public let noAppendfsyncOnRewrite: String?
        /// `maxmemory-policy`: which keys are evicted when the memory is full.
        public let maxmemoryPolicy: String?
        /// `aof_last_write_status`: whether the last write to the file succeeded.
        public let aofLastWriteStatus: String?
        /// `role`: `master` or `slave`.
        public let role: String?
        /// `min-replicas-to-write`: the number of connected replicas without which writes are refused.
        public let minReplicasToWrite: Int?
        /// `connected_slaves`: the number of connected replicas.
        public let connectedReplicas: Int?
        /// Whether the server may not have completed its first file since `appendonly` was set while it runs, so that a
        /// restart finds no file. If it had one before, no answer of the server shows that. `aof_base_size` is also 0
        /// when a server that started without data rewrites its file for the first time.
        let isBeginningFile: Bool
    }

    extension RedisSettings {
        /// Creates settings from the server's answers.
        ///
        /// - Parameters:
        ///   - info: The answer to `INFO`; nil if the command is forbidden.
        ///   - configuration: The answers to `CONFIG GET`, by name.
        init(info: String?, configuration: [String: String]) {
            var facts: [Substring: String] = [:]
            for line in (info ?? "").split(whereSeparator: \.isNewline) {
                let pair = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                if pair.count == 2 { facts[pair[0]] = String(pair[1]) }
            }
            version = facts["redis_version"]
            appendonly = configuration["appendonly"] ?? facts["aof_enabled"].map { $0 == "1" ? "yes" : "no" }
            appendfsync = configuration["appendfsync"]
            aofLoadTruncated = configuration["aof-load-truncated"]
            noAppendfsyncOnRewrite = configuration["no-appendfsync-on-rewrite"]
            maxmemoryPolicy = configuration["maxmemory-policy"] ?? facts["maxmemory_policy"]
            aofLastWriteStatus = facts["aof_last_write_status"]
            role = facts["role"]
            minReplicasToWrite = configuration["min-replicas-to-write"].flatMap { Int($0) }
            connectedReplicas = facts["connected_slaves"].flatMap { Int($0) }
            isBeginningFile =
                facts["aof_base_size"] == "0"
                && (facts["aof_rewrite_in_progress"] == "1" || facts["aof_rewrite_scheduled"] == "1")
        }

        /// The names of the settings to read.
        static let configurationNames = [
            "appendonly", "appendfsync", "aof-load-truncated", "no-appendfsync-on-rewrite", "maxmemory-policy",
            "min-replicas-to-write",
        ]

        /// The known settings and the version, by the names of the server. For statistics.
        var values: [String: String] {
            let values = [
                "redis_version": version,
                "appendonly": appendonly,
                "appendfsync": appendfsync,
                "aof-load-truncated": aofLoadTruncated,
                "no-appendfsync-on-rewrite": noAppendfsyncOnRewrite,
                "maxmemory-policy": maxmemoryPolicy,
                "min-replicas-to-write": minReplicasToWrite.map(String.init),
            ]
            return values.compactMapValues(\.self)
        }

        /// The first number of the version.
        var majorVersion: Int? { version.flatMap { Int($0.prefix { $0 != "." }) } }

        /// Returns whether the version is at least the given one; false if it is unknown.
        func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
            let numbers = (version ?? "").split(separator: ".").map { Int($0) ?? 0 }
            guard numbers.count >= 2 else { return false }
            return (numbers[0], numbers[1]) >= (major, minor)
        }

        /// The settings with which the primary can lose acknowledged entries, each with its value and the value to set.
        /// Empty if the settings are safe.
        ///
        /// A fail-over to a lagging replica is not included. See ``RedisAcknowledgement/replicas(_:within:)``.
        public var hazards: [String] {
            var hazards: [String] = []
            func expect(_ name: String, _ value: String?, _ isSafe: (String) -> Bool, _ consequence: String) {
                guard let value else {
                    hazards.append(
                        "\(name) is not known, because this user may not read it: \(consequence)"
                    )
                    return
                }
                if !isSafe(value) { hazards.append("\(name) is \(value): \(consequence)") }
            }
            expect("role", role, { $0 == "master" }, "connect to the primary, which accepts writes.")
            expect(
                "appendonly",
                appendonly,
                { $0 == "yes" },
                "a restart loses entries unless it is yes. Set \"appendonly yes\"."
            )
            expect(
                "appendfsync",
                appendfsync,
                { $0 == "always" },
                "a power failure loses entries unless it is always. Set \"appendfsync always\", and allow CONFIG GET."
            )
            expect(
                "aof-load-truncated",
                aofLoadTruncated,
                { $0 == "no" },
                "unless it is no, the server can keep a part of the last script after a power failure, and then replace "
                    + "entries. Set \"aof-load-truncated no\", and allow CONFIG GET."
            )
            if let value = noAppendfsyncOnRewrite, value != "no" {
                hazards.append(
                    "no-appendfsync-on-rewrite is \(value): a power failure while the server rewrites its file loses "
                        + "entries. Set \"no-appendfsync-on-rewrite no\"."
                )
            }
            // Policies of the kind `volatile-*` evict only keys with an expiry, which keys of a log do not have.
            expect(
                "maxmemory-policy",
                maxmemoryPolicy,
                { !$0.hasPrefix("allkeys-") },
                "the server may evict the log. Set \"maxmemory-policy noeviction\"."
            )
            if appendonly == "yes" {
                expect(
                    "aof_last_write_status",
                    aofLastWriteStatus,
                    { $0 == "ok" },
                    "the server cannot write its file. Free or repair its disk."
                )
            }
            return hazards
        }
    }
#endif
