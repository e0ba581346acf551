import ActorStoreSimulation

import class Foundation.NSLock

@testable import TestFixtures

/// A small store that has one of the defects that stores have had, or no defect.
final class FragileStore: @unchecked Sendable {
    enum Defect: CaseIterable, Sendable {
        /// A dispatch suspends between reading the state and writing it.
        case losesAnAction
        /// The visible state is published a moment after its reduction.
        case readsStale
        /// Each send has its own task.
        case reordersSends
        /// An observer is woken once for each action, and takes the newest state each time.
        case notifiesTwice
        /// An observer checks first, and waits later, without another check.
        case missesTheLastValue
    }

    // Sound: all variables are accessed only under the lock.
    private let lock = NSLock()
    private var current = Tally()
    private var published = Tally()
    private var version = 0
    private var isFinished = false
    private var wakeUps = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var sends: [Task<Void, Never>] = []

    private let defect: Defect?
    private let executor: SimulationExecutor

    init(_ defect: Defect?, on executor: SimulationExecutor) {
        self.defect = defect
        self.executor = executor
    }

    var access: StoreAccess<Tally, Tally.Entry> {
        StoreAccess(
            dispatch: { [self] in await dispatch($0) },
            send: { [self] in send($0) },
            snapshot: { [self] in read() },
            state: { [self] in await settled() }
        )
    }

    func dispatch(_ entry: Tally.Entry) async {
        guard defect == .losesAnAction else { return apply(entry) }
        var copy = lock.withLock { current }
        await Task.yield()
        Tally.reduce(&copy, entry)
        write(copy)
    }

    func send(_ entry: Tally.Entry) -> Bool {
        guard defect == .reordersSends else {
            apply(entry)
            return true
        }
        let task = Task(executorPreference: executor) { [self] in apply(entry) }
        lock.withLock { sends.append(task) }
        return true
    }

    func read() -> Tally { lock.withLock { defect == .readsStale ? published : current } }

    func settled() async -> Tally {
        for send in lock.withLock({ sends }) { await send.value }
        return read()
    }

    func finish() {
        let waiting = lock.withLock {
            isFinished = true
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Delivers all states to an observer, until the store is finished.
    func observe(_ told: Collector<Tally>) async {
        var last: Tally?
        var seen = 0
        while true {
            let (tally, version, isOver) = lock.withLock { (current, self.version, isFinished) }
            if isOver && defect == .missesTheLastValue { return }
            if tally != last || defect == .notifiesTwice && seen > 0 { told.append(tally) }
            last = tally
            if isOver { return }
            seen = defect == .notifiesTwice ? seen + 1 : version
            await change(since: seen, version)
        }
    }

    /// Returns when there may be a new state.
    private func change(since seen: Int, _ version: Int) async {
        if defect == .missesTheLastValue {
            if lock.withLock({ self.version != version }) { return }
            await Task.yield()
        }
        await withCheckedContinuation { continuation in
            let mustWait = lock.withLock {
                let hasPendingChange =
                    switch defect {
                    case .notifiesTwice: wakeUps >= seen
                    case .missesTheLastValue: false
                    default: self.version != version
                    }
                if hasPendingChange || isFinished { return false }
                waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func apply(_ entry: Tally.Entry) {
        var copy = lock.withLock { current }
        Tally.reduce(&copy, entry)
        write(copy)
    }

    private func write(_ tally: Tally) {
        let waiting = lock.withLock {
            current = tally
            version += 1
            wakeUps += 1
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiting { waiter.resume() }
        guard defect == .readsStale else { return }
        Task(executorPreference: executor) { [self] in lock.withLock { published = current } }
    }
}
