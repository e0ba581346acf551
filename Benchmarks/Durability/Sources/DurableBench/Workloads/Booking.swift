import ActorStorePersistence
import ActorStoreSQLite
import Foundation

/// The action of all benchmarks except stalls.
struct Booking: Codable, Sendable {
    let task: Int
    let number: Int

    /// The bytes that a store writes for one action, beside which a plain insert is measured.
    static let bytes: [UInt8] = {
        guard let data = try? JSONStateCodec().encode(Booking(task: 12, number: 345_678)) else {
            fatalError("A booking cannot be encoded.")
        }
        return Array(data)
    }()
}

/// The state changed by bookings.
struct Ledger: Codable, Sendable {
    var bookings = 0
    var sum = 0

    mutating func book(_ booking: Booking) {
        bookings &+= 1
        sum &+= booking.number
    }
}
