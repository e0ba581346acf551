#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The standard error of the process, which is the default destination of logs.
@usableFromInline package enum StandardError {
    /// Writes a text and a line break, with one system call if possible, so that lines of several writers are not
    /// mixed.
    ///
    /// Blocks while the reader of standard error is behind. A text that cannot be written is lost: there is no other
    /// place to report it.
    @usableFromInline package static func writeLine(_ text: String) {
        var text = text + "\n"
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = systemWrite(STDERR_FILENO, start, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if count < 0, errno == EAGAIN {
                    var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, 100)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}

/// The system function, which the method above hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
