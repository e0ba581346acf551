import ActorStore
import CExplorer
import Glibc

/// A thread of the operating system that runs threads of runs, one after the other.
final class Worker: ScheduledThread, @unchecked Sendable {
    // Sound: `running` is accessed by the thread itself, and by the one that passes it a thread of a run before it
    // passes the baton.
    let baton = Baton()
    var running: ScheduleThread?

    /// Starts the thread, which waits for the baton.
    static func start(onCore core: Int32) -> Worker {
        let worker = Worker()
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let launch = Unmanaged.passRetained(Launch(worker: worker, core: core)).toOpaque()
        let result = pthread_create(&thread, &attributes, { Worker.main($0) }, launch)
        guard result == 0 else { fatalError("No thread could be started for the explorer: error \(result).") }
        pthread_attr_destroy(&attributes)
        return worker
    }

    private struct Start {
        let worker: Worker
        let core: Int32
    }

    private final class Launch {
        let start: Start
        init(worker: Worker, core: Int32) { start = Start(worker: worker, core: core) }
    }

    private static func main(_ launch: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let launch else { return nil }
        let start = Unmanaged<Launch>.fromOpaque(launch).takeRetainedValue().start
        explorer_stay_on_core(start.core)
        SchedulePoint.install(start.worker)
        start.worker.runForever()
    }

    private func runForever() -> Never {
        while true {
            baton.take()
            guard let thread = running else { fatalError("A thread was given the baton without work.") }
            explorer_keep_memory()
            thread.body.take()?()
            explorer_free_memory()
            thread.schedule.finish(thread)
        }
    }

    private var thread: ScheduleThread {
        guard let running else { fatalError("A thread without work reached a point.") }
        return running
    }

    // MARK: ScheduledThread

    func load(at address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> UInt64? {
        thread.schedule.load(by: thread, at: address, order)
    }

    func store(_ bits: UInt64, size: Int, at address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> Bool {
        let store = StoreBuffer.Store(
            address: UnsafeMutableRawPointer(mutating: address),
            size: size,
            bits: bits,
            order: order
        )
        return thread.schedule.store(store, by: thread)
    }

    func modify(at address: UnsafeRawPointer, _ order: SchedulePoint.Order) {
        thread.schedule.modify(by: thread, at: address, order)
    }

    func pause() { thread.schedule.pause(thread) }

    func sleep(at address: UnsafeRawPointer) { thread.schedule.sleep(thread, at: address) }

    func didLock(at address: UnsafeRawPointer) { thread.locks.append(address) }

    func didUnlock(at address: UnsafeRawPointer) {
        if let index = thread.locks.lastIndex(of: address) { thread.locks.remove(at: index) }
    }

    func wake(at address: UnsafeRawPointer) { thread.schedule.wake(at: address, by: thread) }
}

/// A thread of one run: one of the scenario, or a job of a task up to its next suspension.
final class ScheduleThread {
    enum State: Equatable { case ready, sleeping(at: UnsafeRawPointer) }

    let name: String
    unowned let schedule: Schedule
    /// Its body, until it has begun.
    var body: (() -> Void)?
    var state = State.ready
    var buffer = StoreBuffer()
    /// The addresses of its locks.
    var locks: [UnsafeRawPointer] = []
    /// The chooser's numbers of the thread and its buffer.
    let number: Int
    let bufferNumber: Int
    /// Whether it runs cancellation handlers. Called by the thread itself.
    var isCancelling: Bool { explorer_is_cancelling() != 0 }
    /// Its worker, after it has begun.
    var worker: Worker?

    init(name: String, schedule: Schedule, number: Int, bufferNumber: Int, body: @escaping () -> Void) {
        self.name = name
        self.schedule = schedule
        self.number = number
        self.bufferNumber = bufferNumber
        self.body = body
    }
}
