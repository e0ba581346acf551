import Foundation

/// A replica's state in a few characters, for comparison with another one.
struct StockReport: Equatable, Sendable {
    /// The number of actions in the state.
    let revision: UInt64
    /// The hash FNV-1a of the state as JSON with sorted keys: that of the standard library differs in each process.
    let digest: String
}

extension StockReport {
    init(_ state: Stock.State, revision: UInt64) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in try encoder.encode(state) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.init(revision: revision, digest: String(hash, radix: 16))
    }
}
