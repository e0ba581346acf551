/// A set of numbers in ascending order. It is made for numbers that come in their order, and go in it.
struct AscendingNumbers {
    // Invariants: `numbers` ascends strictly from `start` on, and `start` is 0 if nothing is there.
    private var numbers: [UInt64] = []
    /// Where the first one is: what stands before it has gone.
    private var start = 0

    var isEmpty: Bool { numbers.isEmpty }
    var all: ArraySlice<UInt64> { numbers[start...] }

    /// - Complexity: O(1) if the number is the greatest, otherwise O(*n*).
    mutating func insert(_ number: UInt64) {
        if let last = numbers.last, last >= number {
            let index = index(of: number)
            if numbers[index] != number { numbers.insert(number, at: index) }
        } else {
            numbers.append(number)
        }
    }

    /// - Returns: Whether the number was there.
    /// - Complexity: O(log *n*), amortised, if the number is the smallest, otherwise O(*n*).
    mutating func remove(_ number: UInt64) -> Bool {
        let index = index(of: number)
        guard index < numbers.count, numbers[index] == number else { return false }
        if index > start {
            numbers.remove(at: index)
        } else {
            start += 1
            if start * 2 >= numbers.count {
                numbers.removeFirst(start)
                start = 0
            }
        }
        return true
    }

    /// The numbers outside of a range.
    ///
    /// - Complexity: O(log *n*).
    func outside(_ range: ClosedRange<UInt64>) -> (below: ArraySlice<UInt64>, above: ArraySlice<UInt64>) {
        let above = range.upperBound == .max ? numbers.count : index(of: range.upperBound + 1)
        return (numbers[start..<index(of: range.lowerBound)], numbers[above...])
    }

    /// Where the first number is that is not less, by bisection.
    private func index(of number: UInt64) -> Int {
        var (low, high) = (start, numbers.count)
        while low < high {
            let middle = low + (high - low) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
