#if Postgres
    import ActorStorePersistence
    import Foundation

    extension ConnectionOptions {
        /// Returns the options for each address of a host. libpq would try the next address only when the previous one
        /// has failed, and one that does not answer would use up the time for all of them.
        ///
        /// - Parameters:
        ///   - endpoint: The options for a host.
        ///   - lookUp: Returns the addresses of a name. If it returns none, libpq looks the name up again, and reports
        ///     why.
        func addresses(of endpoint: [String: String], _ lookUp: (String) -> [String]) -> [[String: String]] {
            // A path is that of a socket. A service can have an address for the host.
            guard !namesService, let host = endpoint["host"], let first = host.first, first != "/", first != "@",
                endpoint["hostaddr"] ?? "" == ""
            else { return [endpoint] }
            let addresses = lookUp(host)
            if addresses.isEmpty { return [endpoint] }
            return addresses.map { endpoint.merging(["hostaddr": $0]) { $1 } }
        }

        /// Returns the numeric addresses of a name, in the order of the system; none if the lookup fails.
        static func lookUp(_ host: String) -> [String] {
            var hints = addrinfo()
            hints.ai_family = AF_UNSPEC
            hints.ai_socktype = StreamSocket.type
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
            defer { freeaddrinfo(list) }
            var addresses: [String] = []
            // Sound: the list is freed after the loop, and its addresses are copied.
            var next = list
            while let entry = next {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let (size, flags) = (socklen_t(text.count), Int32(NI_NUMERICHOST))
                if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, size, nil, 0, flags) == 0 {
                    let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    if !addresses.contains(address) { addresses.append(address) }
                }
                next = entry.pointee.ai_next
            }
            return addresses
        }
    }
#endif
