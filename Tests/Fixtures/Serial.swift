/// A key that is an object, and equal to one of a subclass.
class Serial: Hashable, @unchecked Sendable {
    // Sound: it is constant, and so are its subclasses.
    private let number: Int
    init(_ number: Int) { self.number = number }
    static func == (left: Serial, right: Serial) -> Bool { left.number == right.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

final class LongSerial: Serial, @unchecked Sendable {}
