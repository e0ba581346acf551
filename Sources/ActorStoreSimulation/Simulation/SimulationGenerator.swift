/// A generator of pseudorandom numbers that are the same for the same seed on every machine.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
public struct SimulationGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameter seed: The seed; the numbers of neighbouring seeds are unrelated.
    public init(seed: UInt64) { state = seed }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns the next number below a limit.
    ///
    /// The algorithm is written here, because that of `Int.random(in:using:)` may differ between versions of the
    /// standard library, and the numbers of a seed must not change.
    ///
    /// - Parameter limit: The number of possible results. Traps if it is not positive.
    /// - Returns: A number from 0 up to, and without, `limit`.
    public mutating func number(below limit: Int) -> Int {
        guard limit > 0 else {
            fatalError("SimulationGenerator.number(below: \(limit)) has no result. Give a limit of at least 1.")
        }
        return Int(next().multipliedFullWidth(by: UInt64(limit)).high)
    }

    /// Returns a Boolean value that is true with a probability.
    ///
    /// - Parameter probability: The probability, from 0 to 1.
    /// - Returns: True with that probability.
    public mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) < probability * Double(1 << 53)
    }

    /// Returns one of several elements, each with the same probability.
    ///
    /// - Parameter elements: The elements. Traps if the array is empty.
    /// - Returns: One of the elements.
    public mutating func element<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// Returns a generator of other numbers, which depend on the seed and on how many were drawn before.
    ///
    /// - Returns: A generator.
    public mutating func split() -> SimulationGenerator {
        SimulationGenerator(seed: next())
    }
}
