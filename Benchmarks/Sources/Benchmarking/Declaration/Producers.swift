/// Who does the operations of a benchmark.
public enum Producers: Sendable, Equatable {
    /// The task that measures.
    case one
    /// So many tasks, on the threads of the runtime's pool, of which there are as many as cores. Tasks that never
    /// suspend run a few at a time, each to its end.
    case tasks(Int)
    /// So many tasks, each on a thread of its own, which the system's scheduler divides the cores among.
    case threads(Int)

    /// How many there are.
    public var count: Int {
        switch self {
        case .one: 1
        case .tasks(let count), .threads(let count): count
        }
    }
}
