import ActorStore
import Testing

@testable import ActorStorePersistence

@Suite("The store of a phase")
struct PhaseStoreTests {
    @Test("Its last value is the phase of the account, also if a thread that changes that has not notified it yet")
    func lastPhase() async {
        let account = LockedValue("connected")
        let phases = PhaseStore("phase", of: account) { $0 }
        phases.change { $0 = "retrying" }
        #expect(await phases.store.state == "retrying")
        let values = phases.store.values(of: \.self)
        // What another thread does in `change`, before it notifies the store.
        account.withLock { $0 = "ended" }
        await phases.end()
        var last: String?
        for await phase in values { last = phase }
        #expect(last == "ended")
        #expect(phases.store.snapshot == "ended")
    }
}
