import ActorStore
import ActorStoreCommands
import ActorStoreFoundation
import Foundation
import Testing

@Suite("Observer rules for notifications", .timeLimit(.minutes(10)))
struct NotificationRuleTests {
    typealias Rules = Interceptor<[Int], Int>

    let name = Notification.Name("number")

    final class Sender: Sendable {}

    func store(_ rules: ObserverRule<[Int], Int>...) -> Store<[Int], Int> {
        Store(initialState: [], interceptors: [.observing(rules)]) { (state: inout [Int], number: Int) in
            state.append(number)
        }
    }

    @Test("Each notification with the rule's name becomes an action, or is ignored, in order of posting")
    func notifications() async throws {
        let center = NotificationCenter()
        let store = store(.onNotification(name, center: center) { $0.userInfo?["number"] as? Int })
        for number in 0..<100 { center.post(name: name, object: nil, userInfo: ["number": number]) }
        center.post(name: name, object: nil)
        center.post(name: Notification.Name("other"), object: nil, userInfo: ["number": 1])
        #expect(await store.state == Array(0..<100))
    }

    @Test("A rule can observe the notifications of one object, which it does not retain")
    func objects() async throws {
        let center = NotificationCenter()
        var sender: Sender? = Sender()
        weak let weakSender = sender
        let store = store(.onNotification(name, object: sender, center: center) { _ in 1 })
        center.post(name: name, object: Sender())
        center.post(name: name, object: sender)
        #expect(await store.state == [1])
        sender = nil
        #expect(weakSender == nil)
        let late = self.store(.onNotification(name, object: Sender(), center: center) { _ in 2 })
        center.post(name: name, object: nil)
        #expect(late.snapshot.isEmpty)
    }

    @Test("The registration ends with the store, which it does not retain, or with the removal of the rules")
    func lifetime() async throws {
        final class Witness: Sendable {
            let released: @Sendable () -> Void
            init(_ released: @escaping @Sendable () -> Void) { self.released = released }
            deinit { released() }
        }
        let center = NotificationCenter()
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        func rule(_ event: String) -> ObserverRule<[Int], Int> {
            let witness = Witness { continuation.yield(event) }
            return .onNotification(name, center: center) { _ in
                withExtendedLifetime(witness) { 1 }
            }
        }
        var released: Store<[Int], Int>? = store(rule("released"))
        weak let weakStore = released
        released = nil
        #expect(weakStore == nil)

        let shutDown = store(rule("shut down"))
        await shutDown.shutdown(drain: .finishEffects)

        let store = store()
        store.use(.observing(rule("removed"))).remove()
        center.post(name: name, object: nil)
        #expect(store.snapshot.isEmpty && shutDown.snapshot.isEmpty)

        // The center's reference is gone.
        var iterator = events.makeAsyncIterator()
        var gone: Set<String> = []
        while gone.count < 3, let event = await iterator.next() { gone.insert(event) }
        #expect(gone == ["released", "shut down", "removed"])
    }

    @Test("The closure runs on the posting thread, and a rule without a name gets notifications of all names")
    func threadsAndNames() async throws {
        let center = NotificationCenter()
        let (events, continuation) = AsyncStream.makeStream(of: (String, ObjectIdentifier).self)
        let rule = ObserverRule<[Int], Int>.onNotification(nil, center: center) { notification in
            continuation.yield((notification.name.rawValue, ObjectIdentifier(Thread.current)))
            return nil
        }
        let store = store(rule)
        Thread.detachNewThread {
            for name in ["first", "second"] { center.post(name: Notification.Name(name), object: nil) }
            continuation.yield(("posted", ObjectIdentifier(Thread.current)))
            continuation.finish()
        }
        let calls = await events.reduce(into: []) { $0.append($1) }
        #expect(calls.map(\.0) == ["first", "second", "posted"])
        #expect(Set(calls.map(\.1)).count == 1)
        await store.shutdown(drain: .finishEffects)
    }
}
