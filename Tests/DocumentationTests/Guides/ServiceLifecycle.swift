import Testing

// A stand-in for swift-service-lifecycle, with the names and the behaviour that the listings of the articles use.

protocol Service: Sendable {
    func run() async throws
}

enum UnixSignal {
    case sigterm, sigint
}

struct ServiceGroup {
    /// The request for a graceful shutdown of the service whose task this is, and of the tasks that it starts.
    @TaskLocal static var request: AsyncStream<Void>?
    /// Takes the place of the operating system.
    @TaskLocal static var signals: AsyncStream<UnixSignal>?

    let services: [any Service]
    let gracefulShutdownSignals: [UnixSignal]
    let logger: any Sendable

    /// Runs the services, ends them in reverse order when a signal comes, and cancels all of them with its own task.
    func run() async throws {
        let signals = try #require(Self.signals)
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running: [(task: Task<Void, any Error>, request: AsyncStream<Void>.Continuation)] = []
            for service in services {
                let (stream, request) = AsyncStream.makeStream(of: Void.self)
                running.append((Self.$request.withValue(stream) { Task { try await service.run() } }, request))
            }
            group.addTask { [running] in
                try await withTaskCancellationHandler {
                    for await signal in signals where gracefulShutdownSignals.contains(signal) { break }
                    for service in running.reversed() {
                        if !Task.isCancelled { service.request.yield() }
                        try await service.task.value
                    }
                } onCancel: {
                    for service in running { service.task.cancel() }
                }
            }
            try await group.next()
        }
    }
}

func gracefulShutdown() async throws {
    if let request = ServiceGroup.request { for await _ in request { return } }
    throw CancellationError()
}
