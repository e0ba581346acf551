#if Redis
    import ActorStorePersistence
    import Foundation

    /// A descriptor that is closed when its owner is deinitialized.
    final class OwnedDescriptor: Sendable {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        // An error cannot be handled; the descriptor is closed even then.
        deinit { _ = close(number) }
    }

    /// The failure of a socket.
    enum SocketFailure: Error {
        case interrupted
        case timedOut
        case broken(String)

        init(_ code: Int32) { self = .broken(String(cString: strerror(code))) }
    }

    // Without this flag, a closed connection ends the process with a signal.
    #if os(Linux)
        private let noSignal = Int32(MSG_NOSIGNAL)
    #else
        // The socket has an option for that.
        private let noSignal: Int32 = 0
    #endif

    /// A socket whose calls end at a deadline or when interrupted.
    final class RedisSocket {
        let interruption: SocketInterruption
        private let descriptor: OwnedDescriptor

        /// Connects to an address.
        init(
            _ address: SocketAddress,
            _ interruption: SocketInterruption,
            until deadline: ContinuousClock.Instant
        ) throws(SocketFailure) {
            self.interruption = interruption
            let number = StreamSocket.open(address.family, isBlocking: false)
            guard number >= 0 else { throw SocketFailure(errno) }
            descriptor = OwnedDescriptor(number)
            if address.family != AF_UNIX {
                // The options speed up answers and detect dead peers earlier; the connection works without them.
                setOption(IPPROTO_TCP, TCP_NODELAY)
                setOption(SOL_SOCKET, SO_KEEPALIVE)
            }
            // Sound: the address has as many bytes as its count, and the system copies it.
            let status = address.bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map {
                    connect(number, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
                } ?? -1
            }
            if status == 0 { return }
            // EAGAIN is an error: a Unix socket whose queue is full does not continue to connect.
            guard errno == EINPROGRESS || errno == EINTR else { throw SocketFailure(errno) }
            try wait(for: POLLOUT, until: deadline)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw SocketFailure(errno) }
            if code != 0 { throw SocketFailure(code) }
        }

        private func setOption(_ level: Int, _ option: Int32) { setOption(Int32(level), option) }

        private func setOption(_ level: Int32, _ option: Int32) {
            var isOn: Int32 = 1
            _ = setsockopt(descriptor.number, level, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
        }

        /// For tests.
        var number: Int32 { descriptor.number }

        /// Shuts the connection down, so that the server detects its end.
        func end() { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }

        /// Sends as many bytes as the system accepts.
        ///
        /// - Returns: The number of bytes; 0 if the socket is not writable yet.
        func send(_ bytes: UnsafeRawBufferPointer) throws(SocketFailure) -> Int {
            while true {
                let count = Foundation.send(descriptor.number, bytes.baseAddress, bytes.count, noSignal)
                if count >= 0 { return count }
                if errno == EAGAIN { return 0 }
                if errno != EINTR { throw SocketFailure(errno) }
            }
        }

        /// Receives the available bytes.
        ///
        /// - Returns: The number of bytes; 0 if the socket is not readable yet.
        func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SocketFailure) -> Int {
            while true {
                let count = recv(descriptor.number, buffer.baseAddress, buffer.count, 0)
                if count > 0 { return count }
                if count == 0 { throw .broken("The server has closed the connection.") }
                if errno == EAGAIN { return 0 }
                if errno != EINTR { throw SocketFailure(errno) }
            }
        }

        /// Waits until the socket is readable or writable.
        func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(SocketFailure) {
            while true {
                if interruption.isInterrupted { throw .interrupted }
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else { throw .timedOut }
                var polled = [
                    pollfd(fd: descriptor.number, events: Int16(truncatingIfNeeded: events), revents: 0),
                    pollfd(fd: interruption.descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
                ]
                // Rounded up, so that the last fraction of a millisecond is not spent in a busy loop.
                let milliseconds = Int32(min(left / .milliseconds(1) + 1, 1_000_000))
                let count = poll(&polled, nfds_t(polled.count), milliseconds)
                if count < 0, errno != EINTR { throw SocketFailure(errno) }
                if polled[1].revents != 0 { throw .interrupted }
                // The next call on the socket reports the socket's errors.
                if count > 0, polled[0].revents != 0 { return }
            }
        }
    }
#endif
