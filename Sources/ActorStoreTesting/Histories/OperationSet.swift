/// Which operations of a history are in an order already: one bit for each.
struct OperationSet: Hashable {
    private var words: [UInt64]

    init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    func contains(_ operation: Int) -> Bool { words[operation / 64] & 1 << (operation % 64) != 0 }

    mutating func insert(_ operation: Int) { words[operation / 64] |= 1 << (operation % 64) }

    mutating func remove(_ operation: Int) { words[operation / 64] &= ~(1 << (operation % 64)) }
}
