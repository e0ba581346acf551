import Synchronization

/// B5: one continuation for each observer, resumed in a loop. The limit of the runtime.
final class RawContinuations: @unchecked Sendable {
    static let name = "B5 raw continuations"
    /// The limit of the runtime for observers that can be cancelled while they wait.
    static let cancellableName = "B5 with cancellation handlers"

    // Sound: each observer writes its own place before it arrives, and the publisher reads the places only after all
    // have arrived.
    private let waiting: UnsafeMutableBufferPointer<UnsafeContinuation<Bool, Never>?>
    private let rendezvous: Rendezvous

    init(observers: Int) {
        waiting = .allocate(capacity: observers)
        waiting.initialize(repeating: nil)
        rendezvous = Rendezvous(of: observers)
    }

    deinit { waiting.deallocate() }

    /// Follows until ``finish()``.
    func observe(_ place: Int) async {
        while await next(place) {}
    }

    /// Follows until ``finish()``, with a cancellation handler around each wait.
    func observeCancellably(_ place: Int) async {
        var isOpen = true
        while isOpen {
            isOpen = await withTaskCancellationHandler {
                await next(place)
            } onCancel: {
                // Nothing is cancelled here: the cost of cancellability is measured.
            }
        }
    }

    private nonisolated(nonsending) func next(_ place: Int) async -> Bool {
        await withUnsafeContinuation { continuation in
            waiting[place] = continuation
            rendezvous.arrive()
        }
    }

    /// Waits until all observers wait.
    func begin() async { await rendezvous.round {} }

    /// Resumes all, and waits until all wait again.
    func publish() async {
        await rendezvous.round { for continuation in waiting { continuation?.resume(returning: true) } }
    }

    /// Ends the observers' loops; all must be waiting.
    func finish() {
        for continuation in waiting { continuation?.resume(returning: false) }
    }
}
