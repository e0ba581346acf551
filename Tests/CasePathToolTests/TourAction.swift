import ActorStore
import Foundation

/// One case of each kind, for which the plug-in has written `CasePaths.generated.swift`.
public struct Tour {
    /// What happens on a tour.
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

    /// What its guide does.
    public enum GuideAction: Equatable, Sendable { case speak, pause(Duration) }
}

/// What happens at a stop.
public enum StopAction: Equatable, Sendable { case arrived, left }

enum ErrandAction: Sendable {
    case run(@Sendable (Int) -> Int)
    case table([String: [Result<Int, any Error>]])
    case failed(any Error)
    // Of one name and type, so that they have no paths.
    case same(first: Int)
    case same(second: Int)
}

struct Box<Content: Sendable>: Sendable {
    enum Action: Sendable { case put(Content) }
}

private enum HiddenAction: Sendable { case hidden(Int) }
