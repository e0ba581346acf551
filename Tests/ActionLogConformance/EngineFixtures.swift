import ActorStorePersistence
import Foundation
import Testing

// Functions shared by the tests of several engines.

extension ActionLogConnection {
    /// Appends entries at the end of the log.
    @discardableResult
    public func append(_ entries: [ActionLogEntry]) throws(ActionLogError) -> UInt64 {
        try append(entries, if: AppendCondition(.contains(.start)))
    }

    /// All entries after a position.
    public func readAll(
        after position: UInt64 = 0,
        atMost bytes: Int = 1 << 20
    ) throws(ActionLogError) -> [ActionLogEntry] {
        var entries: [ActionLogEntry] = []
        while true {
            let next = try read(after: position + UInt64(entries.count), atMost: bytes)
            if next.isEmpty { return entries }
            entries += next
        }
    }
}

/// The log error thrown by a closure; nil without one.
public func failure(_ body: () throws -> Void) -> ActionLogError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ActionLogError
    }
}

/// Runs a closure while only a few file descriptors are free. Call it in a process of its own.
public func withFreeDescriptors<Result>(_ count: Int, _ body: () throws -> Result) rethrows -> Result {
    var limit = rlimit()
    getrlimit(descriptorLimit, &limit)
    let former = limit
    limit.rlim_cur = min(256, limit.rlim_max)
    setrlimit(descriptorLimit, &limit)
    var descriptors: [Int32] = []
    while case let next = open("/dev/null", O_RDONLY), next >= 0 { descriptors.append(next) }
    for descriptor in descriptors.suffix(count) { close(descriptor) }
    descriptors.removeLast(min(count, descriptors.count))
    defer {
        for descriptor in descriptors { close(descriptor) }
        var limit = former
        setrlimit(descriptorLimit, &limit)
    }
    return try body()
}

#if os(Linux)
    private let descriptorLimit = __rlimit_resource_t(7)
#else
    private let descriptorLimit = RLIMIT_NOFILE
#endif

/// Expects a log error with a code, and at a position if one is given.
public func expect(
    _ code: ActionLogError.Code,
    at position: UInt64? = nil,
    _ place: Testing.SourceLocation = #_sourceLocation,
    from body: () async throws -> some Any
) async {
    do {
        _ = try await body()
        Issue.record("No error was thrown where one of \(code) was expected.", sourceLocation: place)
    } catch let error as ActionLogError {
        #expect(error.code == code, "\(error)", sourceLocation: place)
        if let position { #expect(error.position == position, "\(error)", sourceLocation: place) }
    } catch {
        Issue.record("\(error) was thrown where one of \(code) was expected.", sourceLocation: place)
    }
}

/// Waits for a condition that nothing notifies of, and sleeps between its checks.
///
/// The `until` of `TestFixtures` yields instead. Here servers, other processes and blocked threads need the cores, and
/// child processes link this target.
///
/// - Parameters:
///   - place: The place of the call. If the condition does not hold within five minutes, an issue names this place.
///   - condition: The condition.
public func until(
    _ place: Testing.SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while try await !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("The awaited condition does not hold after five minutes.", sourceLocation: place)
            return
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Accepts a connection, which child processes of other tests do not inherit.
///
/// - Returns: The descriptor; negative if there are no more connections.
public func acceptConnection(at listener: Int32) -> Int32 {
    let descriptor = accept(listener, nil, nil)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
}

/// A port that is unused at the moment, below the system's outgoing ports; nil if none is found.
public func freeLoopbackPort() -> Int? {
    for _ in 0..<1_000 {
        let port = Int.random(in: 10_000..<30_000)
        let descriptor = StreamSocket.open(AF_INET)
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
    return nil
}
