/// The producers that run the operations of a benchmark.
public enum Producers: Sendable, Equatable {
    /// The measuring task.
    case one
    /// A number of tasks on the threads of the runtime's pool, which has as many threads as cores. Tasks that never
    /// suspend run a few at a time, each to its end.
    case tasks(Int)
    /// A number of tasks, each on its own thread, scheduled on the cores by the system.
    case threads(Int)

    /// The number of producers.
    public var count: Int {
        switch self {
        case .one: 1
        case .tasks(let count), .threads(let count): count
        }
    }
}
