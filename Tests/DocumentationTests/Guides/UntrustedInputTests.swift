import ActorStore
import Testing

/// The listing of the article "Untrusted input".
@Suite("The article about untrusted input")
struct UntrustedInputTests {
    @Test("A bounded mailbox is a part of the configuration")
    func bound() {
        var configuration = StoreConfiguration(name: "orders")
        configuration.mailbox = .bounded(10_000, whenFull: .reject)
        #expect(
            Store(initialState: 0, configuration: configuration) { (_: inout Int, _: Int) in }.statistics.waitingActions
                == 0
        )
    }
}
