import Benchmarking

/// B0: the reducer in a loop on a local variable. What nobody can beat, and what no two threads can share.
enum LocalVariable {
    static let name = "B0 local variable"

    @inline(never)
    static func run(_ count: Int) {
        var state = Account.State()
        let reducer = Account()
        for _ in 0..<count {
            _ = reducer.reduce(into: &state, action: .book(1))
            barrier()
        }
        blackHole(state)
    }
}
