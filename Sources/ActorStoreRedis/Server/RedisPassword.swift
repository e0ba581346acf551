#if Redis
    /// A password, or a closure that fetches it.
    ///
    /// The closure is called for each new connection, so that a rotated password takes effect without a restart:
    ///
    /// ```swift
    /// RedisPassword {
    ///     // Without the end of the line, which most programs that write a file add.
    ///     try String(contentsOfFile: "/run/secrets/redis", encoding: .utf8).trimmingCharacters(in: .newlines)
    /// }
    /// ```
    ///
    /// Descriptions and mirrors never show the password.
    public struct RedisPassword: Sendable {
        let fetch: @Sendable () throws -> String

        /// Creates a fixed password.
        public init(_ value: String) { fetch = { value } }

        /// Creates a password that is fetched for each connection.
        ///
        /// - Parameter fetch: A closure that returns the password. It may block. If it throws, the connection fails
        ///   with `ActionLogError.Code.disconnected`; the error message contains only the type of the error.
        public init(fetch: @escaping @Sendable () throws -> String) { self.fetch = fetch }
    }

    extension RedisPassword: ExpressibleByStringLiteral {
        /// Creates a fixed password.
        public init(stringLiteral value: String) { self.init(value) }
    }

    extension RedisPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// A placeholder.
        public var description: String { "(hidden)" }
        /// A placeholder.
        public var debugDescription: String { description }
        /// A mirror without children.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
