@testable import ActorStore

// The description of effects when the model and the store disagree.

extension Work: CustomStringConvertible {
    var description: String {
        switch self {
        case .piece(let piece): "\(piece)"
        case .send(let index, let next): "send \(index)" + then(next)
        case .cancel(_, let key): "cancel \(key)"
        case .merge(let parts): "merge(\(list(parts)))"
        case .concatenate(let parts): "concatenate(\(list(parts)))"
        case .group(let index, let terms, let inner): "group \(index) [\(terms)] { \(inner) }"
        case .delayed(let index, let milliseconds, let parts): "(wait \(index) \(milliseconds) ms; \(list(parts)))"
        case .limited(let tenths, let isHandled, let inner):
            "(\(inner)).\(WorkPiece.Wrapper.limit(tenths: tenths, isHandled: isHandled))"
        case .cancelledOnShutdown(_, let inner): "(\(inner)).cancelOnShutdown"
        }
    }

    private func list(_ parts: [Work]) -> String { parts.map { "\($0)" }.joined(separator: ", ") }
}

extension WorkTerms: CustomStringConvertible {
    var description: String {
        let policy = "\(policy.kind)"
        switch timing {
        case nil: return "\(key) \(policy)"
        case .debounce(let milliseconds, let maxWait):
            let limit = maxWait.map { ", at most \($0) ms" } ?? ""
            return "\(key) \(policy), debounce \(milliseconds) ms\(limit)"
        case .throttle(let milliseconds, let latest):
            return "\(key) throttle \(milliseconds) ms, the \(latest ? "latest" : "first")"
        }
    }
}

extension WorkPiece: CustomStringConvertible {
    var description: String {
        let options = terms.map { " [\($0)]" } ?? ""
        return "\(body) \(index)\(options)" + wrappers.map { ".\($0)" }.joined()
    }
}

extension WorkPiece.Body: CustomStringConvertible {
    var description: String {
        switch self {
        case .timer(let milliseconds): return "timer(\(milliseconds) ms)"
        case .script(let beats, let failures, let isCaught):
            let failing = failures > 0 ? ", fails \(failures)\(isCaught ? ", caught" : "")" : ""
            return "run(\(beats.map { "\($0)" }.joined(separator: ", "))\(failing))"
        }
    }
}

extension WorkPiece.Beat: CustomStringConvertible {
    var description: String { "\(pause) ms\(isAwaited ? " awaited" : "")" + then(next) }
}

extension WorkPiece.Wrapper: CustomStringConvertible {
    var description: String {
        switch self {
        case .delay(let milliseconds): "delay(\(milliseconds) ms)"
        case .limit(let tenths, let isHandled): "timeout(\(Double(tenths) / 10) ms\(isHandled ? ", action" : ""))"
        case .retry(let attempts, let pause): "retry(\(attempts), \(pause) ms)"
        }
    }
}

extension WorkRequest: CustomStringConvertible {
    var description: String { isDetached ? "(\(work)).detached" : "\(work)" }
}

extension WorkNote: CustomStringConvertible {
    var description: String { "\(sender):\(attempt):\(beat)" }
}

extension Bureau.WorkAction: CustomStringConvertible {
    var description: String {
        switch self {
        case .ask(let request, let base, let ticket): "\(base) \(ticket): \(request)"
        case .note(let note, let next): "\(note)" + then(next)
        }
    }
}

private func then(_ next: WorkRequest?) -> String { next.map { " then { \($0) }" } ?? "" }
