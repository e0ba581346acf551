import ActorStore
import Foundation

/// One case of each kind, for the generated `CasePaths.generated.swift`.
public struct Tour {
    /// The actions of a tour.
    public enum Action: Equatable, Sendable {
        case reset
        case guide(GuideAction)
        case renamed(to: String)
        case moved(x: Int, y: Int)
        case stop(id: Int, action: StopAction)
        case pair(Int, String?)
        case `default`(Date)
        case `init`(Int)
        case maybe(Int?)
        case limit(Int = 3, unit: String = "a, (b")
        indirect case nested(Action)
    }

    /// The actions of its guide.
    public enum GuideAction: Equatable, Sendable { case speak, pause(Duration) }
}

/// The actions of a stop.
public enum StopAction: Equatable, Sendable { case arrived, left }

enum ErrandAction: Sendable {
    case run(@Sendable (Int) -> Int)
    case table([String: [Result<Int, any Error>]])
    case failed(any Error)
    // Cases with one name and type, which have no paths.
    case same(first: Int)
    case same(second: Int)
}

struct Box<Content: Sendable>: Sendable {
    enum Action: Sendable { case put(Content) }
}

private enum HiddenAction: Sendable { case hidden(Int) }
