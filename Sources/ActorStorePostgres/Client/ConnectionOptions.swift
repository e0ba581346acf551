#if Postgres
    import CPostgres

    /// What a connection string of libpq says, taken apart by libpq.
    struct ConnectionOptions {
        private let values: [String: String]
        /// The hosts and the database, as errors name them. Only if there is nothing in them that could be a part of a
        /// password: one with a `/` or `@` that is not escaped makes libpq take its rest for a host, port or database.
        let place: String
        /// Whether such a part of a password may have become a host or port, which libpq's errors would show.
        let isAmbiguous: Bool

        /// Takes a connection string apart; nil if libpq cannot. Its reason is not told: it quotes the string.
        init?(_ connectionString: String) {
            var reason: UnsafeMutablePointer<CChar>?
            let parsed = PQconninfoParse(connectionString, &reason)
            if let reason { PQfreemem(reason) }
            guard let options = parsed else { return nil }
            defer { PQconninfoFree(options) }
            var values: [String: String] = [:]
            var option = options
            // The last one has no keyword.
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
                option += 1
            }
            self.values = values
            let parts = ["host", "hostaddr", "port", "dbname"].map { values[$0] ?? "" }
            let isPlain =
                parts.joined().utf8.allSatisfy { Self.plain.contains($0) }
                && parts[2].allSatisfy { $0.isNumber || $0 == "," }
            isAmbiguous = !isPlain && connectionString.hasPrefix("postgres")
            let host = parts[0].isEmpty ? parts[1] : parts[0]
            place =
                isPlain
                ? "\(host.isEmpty ? "PostgreSQL" : host)\(parts[2].isEmpty ? "" : ":\(parts[2])")"
                    + (parts[3].isEmpty ? "" : "/\(parts[3])")
                : "PostgreSQL"
        }

        private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,-_:/%".utf8)

        /// What must not be told, as far as it is in the string.
        var secrets: [String] { ["password", "sslpassword"].compactMap { values[$0] }.filter { !$0.isEmpty } }

        /// The options for each host by itself. They are tried one after the other here, because libpq goes on to the
        /// next one after a time only in calls that block.
        var endpoints: [[String: String]] {
            var common = values
            common["client_encoding"] = "UTF8"
            common["target_session_attrs"] = "primary"
            common["fallback_application_name"] = "swift-actor-store"
            let lists = ["host", "hostaddr", "port"].map { list($0) }
            let count = max(lists[0].count, lists[1].count)
            // What does not fit together is for libpq to complain of.
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

        private func list(_ keyword: String) -> [String] {
            values[keyword].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
    }
#endif
