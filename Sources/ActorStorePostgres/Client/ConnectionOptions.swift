#if Postgres
    import CPostgres

    /// The options of a libpq connection string, as parsed by libpq.
    struct ConnectionOptions {
        private let values: [String: String]
        /// The hosts and the database, for error messages. Only the word `PostgreSQL` if they may contain a part of a
        /// password: libpq parses the rest of a password after an unescaped `/` or `@` as a host, port or database.
        let place: String
        /// Whether a part of a password may have been parsed as a host or port, which libpq's error messages would
        /// show.
        let isAmbiguous: Bool

        /// Parses a connection string. Returns nil if libpq cannot parse it. libpq's reason is dropped because it
        /// quotes the string.
        init?(_ connectionString: String) {
            var reason: UnsafeMutablePointer<CChar>?
            let parsed = PQconninfoParse(connectionString, &reason)
            if let reason { PQfreemem(reason) }
            guard let parsed else { return nil }
            let values = Self.values(taking: parsed)
            self.values = values
            let parts = ["host", "hostaddr", "port", "dbname"].map { values[$0] ?? "" }
            let isPlain =
                parts.joined().utf8.allSatisfy { Self.plain.contains($0) }
                && parts[2].allSatisfy { $0.isNumber || $0 == "," }
            // After a wrong split, the host or database still contains the `@` before the real host, or the port
            // contains a part of a password. Any other name of a database is valid.
            let isMisread =
                !parts[..<2].joined().utf8.allSatisfy { Self.plain.contains($0) }
                || parts[2].contains { !$0.isNumber && $0 != "," } || parts[3].contains("@")
            isAmbiguous = isMisread && connectionString.hasPrefix("postgres")
            let host = parts[0].isEmpty ? parts[1] : parts[0]
            place =
                isPlain
                ? "\(host.isEmpty ? "PostgreSQL" : host)\(parts[2].isEmpty ? "" : ":\(parts[2])")"
                    + (parts[3].isEmpty ? "" : "/\(parts[3])")
                : "PostgreSQL"
        }

        /// Returns the options that have a value.
        private static func values(taking options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            // The last option has no keyword.
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option += 1
            }
            return values
        }

        private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,-_:/%".utf8)

        /// Whether the string names a service, which can have an address for a host.
        var namesService: Bool { values["service"] != nil }

        /// The passwords in the string, which error messages must not contain.
        var secrets: [String] { ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty } }

        /// Returns the options together with those of the service that they name; none if libpq cannot find the
        /// service, which it reports when it connects.
        private static func withService(_ values: [String: String]) -> [String: String] {
            // libpq adds the service first, and then refuses this value instead of connecting.
            let options = values.merging(["target_session_attrs": "none"]) { $1 }.sorted { $0.key < $1.key }
            let attempt = withCStrings(options.map(\.key)) { keywords in
                withCStrings(options.map(\.value)) { values in PQconnectStartParams(keywords, values, 0) }
            }
            guard let attempt else { return [:] }
            defer { PQfinish(attempt) }
            return PQconninfo(attempt).map { Self.values(taking: $0) } ?? [:]
        }

        /// The options for each host. The hosts are tried one after the other here, because libpq limits the time for
        /// each host only in blocking calls.
        var endpoints: [[String: String]] {
            var common = values
            // libpq would add the hosts of a service or of the environment itself, as one.
            if namesService {
                common.merge(Self.withService(values)) { $1 }
            } else if let defaults = PQconndefaults() {
                let environment = Self.values(taking: defaults)
                for keyword in ["host", "hostaddr", "port"] where common[keyword] == nil {
                    common[keyword] = environment[keyword]
                }
            }
            common["client_encoding"] = "UTF8"
            common["target_session_attrs"] = "primary"
            common["fallback_application_name"] = "swift-actor-store"
            let lists = ["host", "hostaddr", "port"].map { keyword in
                common[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
                    ?? []
            }
            let count = max(lists[0].count, lists[1].count)
            // libpq reports lists of different lengths as an error.
            guard count > 1, lists[0].isEmpty || lists[0].count == count, lists[1].isEmpty || lists[1].count == count,
                lists[2].count <= 1 || lists[2].count == count
            else { return [common] }
            return (0..<count).map { index in
                var endpoint = common
                if !lists[0].isEmpty { endpoint["host"] = lists[0][index] }
                if !lists[1].isEmpty { endpoint["hostaddr"] = lists[1][index] }
                if lists[2].count > 1 { endpoint["port"] = lists[2][index] }
                return endpoint
            }
        }
    }
#endif
