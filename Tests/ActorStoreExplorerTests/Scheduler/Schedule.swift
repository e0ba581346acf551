import ActorStore
import CExplorer

/// One run of a scenario: lets one of its threads run at a time.
///
/// A thread has the baton until it reaches a point; there the chooser selects the next one. Everything here is accessed
/// only by the thread that has the baton, or by the one that started the run while no thread has it.
final class Schedule: @unchecked Sendable {
    // Sound: see above. The baton is passed by semaphores, which order earlier writes before later reads.

    /// A run with more steps than this is endless.
    private static let stepLimit = 100_000
    /// This number of pauses in a row, in which no thread changed anything, is endless.
    private static let pauseLimit = 2_000

    /// A run takes milliseconds; one that takes this long is stuck.
    private static let secondLimit = 20

    private var chooser: Chooser
    private let delaysStores: Bool
    /// Makes all decisions except those between threads.
    private var random: RandomNumbers
    private let workers: WorkerPool
    /// The threads that have begun or will, in order of arrival.
    private var threads: [ScheduleThread] = []
    /// Threads that had to pass on the baton inside a cancellation.
    private var cancelling: [ScheduleThread] = []
    /// The runnable actors. Kept for its memory.
    private var candidates: [Int] = []
    let clock = VirtualClock()
    /// Signalled when no thread can run.
    private let controller = Baton()
    private var steps = 0
    /// Whether the next thread is the rest of a task that waits for others.
    var isYielding = false
    private var pauses = 0
    private var lastActor = 0
    private(set) var failure: String?
    private(set) var trace: Trace

    init(seed: UInt64, delaysStores: Bool, workers: WorkerPool, trace: Trace) {
        chooser = Chooser(seed: seed)
        random = RandomNumbers(seed: ~seed)
        self.delaysStores = delaysStores
        self.workers = workers
        self.trace = trace
        trace.note("\(chooser.policy)\(delaysStores ? ", with stores delayed" : "")\n")
    }

    // MARK: The one that started the run

    /// Runs `body` as a thread, with all that it starts, until nothing can run.
    func run(_ name: String, _ body: @escaping () -> Void) {
        guard failure == nil else { return }
        trace.note("[\(name)]")
        spawn(name, body)
        chooser.begin()
        steps = 0
        goOn()
        if !controller.take(withinSeconds: Self.secondLimit) {
            return fail("The run stands still: a thread waits for something that the explorer does not know.")
        }
        if failure == nil, !threads.isEmpty {
            fail(
                "Deadlock: "
                    + threads.map { "\($0.name) sleeps" }.joined(separator: ", ")
                    + ", and there is no thread that could wake \(threads.count == 1 ? "it" : "them")."
            )
        }
    }

    /// Ends the run with a failure, unless it has one.
    func fail(_ message: String) {
        if failure == nil { failure = message }
    }

    // MARK: Threads

    /// Adds a thread. It begins when it is chosen.
    func spawn(_ name: String, _ body: @escaping () -> Void) {
        let number = chooser.add()
        let bufferNumber = chooser.add()
        if isYielding { chooser.yield(number) }
        isYielding = false
        threads.append(
            ScheduleThread(name: name, schedule: self, number: number, bufferNumber: bufferNumber, body: body)
        )
    }

    /// Everything that the current thread has stored becomes visible, because it passes something on outside of the
    /// atomics.
    func publish() {
        guard let current, !current.buffer.isEmpty else { return }
        if current.worker?.running === current { reach(current) }
        commit(current.buffer.takeAll())
    }

    /// The thread that has the baton.
    private(set) var current: ScheduleThread?

    func load(by thread: ScheduleThread, at address: UnsafeRawPointer, _ order: SchedulePoint.Order) -> UInt64? {
        reach(thread, at: address)
        guard delaysStores else { return nil }
        commit(thread.buffer.take(beforeLoad: order))
        return thread.buffer.newest(at: address)
    }

    func store(_ store: StoreBuffer.Store, by thread: ScheduleThread) -> Bool {
        reach(thread, at: store.address)
        guard cancelling.isEmpty else {
            // One inside a cancellation may have waited for this, and must run before this thread waits for it.
            commit(thread.buffer.takeAll() + [store])
            handOn(from: thread)
            return true
        }
        guard delaysStores else {
            changed(store.address)
            return false
        }
        thread.buffer.append(store)
        return true
    }

    func modify(by thread: ScheduleThread, at address: UnsafeRawPointer, _ order: SchedulePoint.Order) {
        reach(thread, at: address)
        commit(thread.buffer.take(beforeModificationAt: address, order))
        // It wakes no thread: sleeping ones wait for a lock, which they try to take by such a change themselves.
        pauses = 0
    }

    func pause(_ thread: ScheduleThread) {
        pauses += 1
        if pauses > Self.pauseLimit { stop(thread, "Threads wait for each other without sleeping.") }
        chooser.yield(thread.number)
        steps += 1
        lastActor = thread.number
        handOn(from: thread, isPausing: true)
    }

    func sleep(_ thread: ScheduleThread, at address: UnsafeRawPointer) {
        // Its wait may depend on its own stores. No other thread runs before it sleeps: the reason of its sleep holds
        // until then.
        commit(thread.buffer.takeAll())
        thread.state = .sleeping(at: address)
        lastActor = thread.number
        handOn(from: thread)
    }

    func wake(at address: UnsafeRawPointer, by waker: ScheduleThread) {
        wake(at: address)
        if !cancelling.isEmpty { handOn(from: waker) }
    }

    private func wake(at address: UnsafeRawPointer) {
        for thread in threads where thread.state == .sleeping(at: address) { thread.state = .ready }
    }

    /// Ends a thread, on its own worker.
    func finish(_ thread: ScheduleThread) {
        if !thread.buffer.isEmpty { reach(thread) }
        commit(thread.buffer.takeAll())
        threads.removeAll { $0 === thread }
        thread.worker?.running = nil
        if let worker = thread.worker { workers.takeBack(worker) }
        goOn()
    }

    // MARK: Handing on

    /// Lets others run before an operation on an address, which must stay valid until the thread continues.
    private func reach(_ thread: ScheduleThread, at address: UnsafeRawPointer) {
        reach(thread)
        if explorer_is_freed(address) != 0 { stop(thread, "\(thread.name) uses memory that has been released.") }
    }

    private func reach(_ thread: ScheduleThread) {
        steps += 1
        if steps > Self.stepLimit { stop(thread, "The run has no end after \(steps) steps.") }
        chooser.step(by: thread.number)
        lastActor = thread.number
        // The runtime holds a lock while a cancellation handler runs, and the explorer cannot see the threads that wait
        // for it.
        if thread.isCancelling { return }
        handOn(from: thread)
    }

    /// Lets the next thread run, and returns when it is this one's turn again.
    private func handOn(from thread: ScheduleThread, isPausing: Bool = false) {
        if thread.isCancelling {
            cancelling.append(thread)
            // The awaited value may have been stored already, by a thread that is about to wait for it.
            for other in threads { commit(other.buffer.takeAll()) }
        }
        defer { cancelling.removeAll { $0 === thread } }
        let next = next(after: isPausing ? thread : nil)
        if next === thread { return }
        resume(next)
        guard let worker = thread.worker else { fatalError("A thread reached a point before it began.") }
        worker.baton.take()
    }

    private func goOn() { resume(next()) }

    private func resume(_ next: ScheduleThread?) {
        current = next
        guard let next else { return controller.give() }
        steps += 1
        trace.note(" \(next.number / 2)")
        trace.change(to: next, step: steps)
        if next.worker == nil {
            let worker = workers.take()
            next.worker = worker
            worker.running = next
        }
        next.worker?.baton.give()
    }

    /// The next thread, after the buffers' and the clock's steps before it; nil without a runnable one.
    ///
    /// - Parameter pausing: A thread that waits for others.
    private func next(after pausing: ScheduleThread? = nil) -> ScheduleThread? {
        // One inside a cancellation continues as soon as it can.
        if let thread = cancelling.last(where: { $0.state == .ready && $0 !== pausing }) { return thread }
        if let thread = holder(ofWhatIsWaitedForBy: cancelling.last) { return thread }
        while true {
            candidates.removeAll(keepingCapacity: true)
            for thread in threads {
                if thread.state == .ready { candidates.append(thread.number) }
                if !thread.buffer.isEmpty { candidates.append(thread.bufferNumber) }
            }
            if clock.hasSleepers, candidates.isEmpty || chooser.wantsClock() {
                trace.note(" t")
                clock.advance()
                continue
            }
            guard !candidates.isEmpty else { return nil }
            let chosen = chooser.choose(among: candidates, after: lastActor)
            guard let thread = threads.first(where: { $0.number == chosen || $0.bufferNumber == chosen }) else {
                fatalError("The chooser named an actor that is not there.")
            }
            lastActor = chosen
            if chosen == thread.number { return thread }
            trace.note(" b\(thread.number / 2)")
            chooser.step(by: chosen)
            commit([thread.buffer.takeAny { random.next(below: $0) }])
        }
    }

    /// The thread that holds the lock that another one sleeps for.
    private func holder(ofWhatIsWaitedForBy sleeper: ScheduleThread?) -> ScheduleThread? {
        guard case .sleeping(let address)? = sleeper?.state else { return nil }
        return threads.first { $0.state == .ready && $0.locks.contains(address) }
    }

    /// Makes stores visible to all threads.
    private func commit(_ stores: [StoreBuffer.Store]) {
        for store in stores {
            store.commit()
            changed(store.address)
        }
    }

    private func changed(_ address: UnsafeRawPointer) {
        pauses = 0
        wake(at: address)
    }

    /// Abandons a run: its threads stay where they are.
    private func stop(_ thread: ScheduleThread, _ message: String) -> Never {
        fail(message)
        controller.give()
        while true { thread.worker?.baton.take() }
    }
}

/// Workers without work.
final class WorkerPool {
    private var idle: [Worker] = []
    private let core: Int32

    /// - Parameter core: The core of all workers, because passing on within a core is faster than waking another one.
    init(core: Int32) { self.core = core }

    func take() -> Worker { idle.popLast() ?? .start(onCore: core) }

    func takeBack(_ worker: Worker) { idle.append(worker) }
}
