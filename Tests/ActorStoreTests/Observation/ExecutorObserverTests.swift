import ActorStore
import Testing

@testable import TestFixtures

@Suite("Observers on an executor", .timeLimit(.minutes(10)))
struct ExecutorObserverTests {
    private let store = Store(initialState: 0) { (number: inout Int, new: Int) in number = new }

    @Test("A thousand observers on an executor all get the newest value")
    func newest() async {
        let executor = PatientExecutor()
        let told = Collector<[Int]>()
        let tokens = (0..<1_000).map { number in
            store.values(of: \.self).observe(on: executor) { value in told.append([number, value]) }
        }
        executor.runAll()
        #expect(told.elements == (0..<1_000).map { [$0, 0] })
        store.send(1)
        store.send(2)
        // This number is woken by a background task.
        await until {
            executor.runAll()
            return told.elements.count == 2_000
        }
        #expect(told.elements.suffix(1_000).sorted { $0[0] < $1[0] } == (0..<1_000).map { [$0, 2] })
        withExtendedLifetime(tokens) {}
    }

    @Test("Cancelled observers on an executor get no more values, and the executor is released")
    func lifetimes() {
        var executor: PatientExecutor? = PatientExecutor()
        weak let observed = executor
        let told = Collector<Int>()
        var token: StoreObservation? = store.values(of: \.self).observe(on: executor!) { value in told.append(value) }
        executor?.runAll()
        store.send(1)
        token = nil
        executor?.runAll()
        store.send(2)
        executor?.runAll()
        #expect(told.elements == [0])
        #expect(token == nil)
        executor = nil
        #expect(observed == nil)
    }

    @Test("An observer with a suspending body has its own task, and does not delay others")
    func suspending() {
        let executor = PatientExecutor()
        let hold = Signal()
        let told = Collector<Int>()
        let slow = store.values(of: \.self).observe(on: executor) { _ in await hold.wait() }
        let quick = store.values(of: \.self).observe(on: executor) { value in told.append(value) }
        executor.runAll()
        store.send(1)
        executor.runAll()
        #expect(told.elements == [0, 1])
        hold.fire()
        withExtendedLifetime((slow, quick)) {}
    }
}
