import Foundation

/// Standard output, as bytes. A reader that has gone away is an error here, never a signal.
struct StandardOutput: Sendable {
    let descriptor: Int32

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
    }

    /// Writes all of a text, in as many calls as needed.
    func write(_ text: String) throws(OutputError) {
        var remaining = Array(text.utf8)
        while !remaining.isEmpty {
            let count = Foundation.write(descriptor, remaining, remaining.count)
            if count > 0 {
                remaining.removeFirst(count)
            } else if count < 0, errno == EAGAIN {
                waitUntilWritable()
            } else if count < 0, errno != EINTR {
                throw errno == EPIPE ? .closed : .failed(reason: .lastSystemError)
            }
        }
    }

    /// For a descriptor that another process has made non-blocking.
    private func waitUntilWritable() {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, 1_000)
    }

    /// Prepares the process: a closed pipe is reported by `write`, and a descriptor closed before the start is not
    /// reused for the next opened file, which would then receive the output.
    static func prepareProcess() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Opened for reading, so that writing to it fails as before.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
