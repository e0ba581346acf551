import ActorStore
import ActorStoreSimulation

/// A tree of stores with interceptors of all kinds, whose actions carry a script: the behaviour of each interceptor,
/// asynchronous interceptor and reducer on the way. So a model can predict the outcome of each.
enum Pipeline {
    /// A store of the tree: the leaf is a child of the branch, which is a child of the root.
    enum Place: Int, Sendable, CaseIterable {
        case root, branch, leaf

        var parent: Place? { Place(rawValue: rawValue - 1) }
    }

    struct Action: Sendable {
        /// The identity among all actions given to a store.
        var number = 0
        /// The store that it is given to.
        let place: Place
        /// The changes by interceptors and mappings to parents, a letter for each.
        var trace = ""
        var isRequest = false
        var script = Script()

        var id: String { "\(number)\(trace)" }

        func becoming(_ mark: String) -> Action {
            var action = self
            action.trace += mark
            return action
        }
    }

    /// The outcome of an action.
    struct Script: Sendable {
        /// The behaviours of interceptors, by name; they pass it on by default.
        var steps: [String: Step] = [:]
        /// The behaviours of asynchronous interceptors, in order.
        var gates: [Gate] = []
        /// The places of reducers that request an effect, which sends an action.
        var effects: [Place: Work] = [:]
        /// The places of reducers that respond if it is a request.
        var answers: Set<Place> = []
        /// The child that does not pass it on to its parent.
        var last: Place?

        func gate(of guest: Guest) -> Gate { gates.isEmpty ? Gate() : gates[guest.number % gates.count] }

        func step(of name: String) -> Step { steps[name.hasPrefix("guest") ? "guest" : name] ?? .pass }
    }

    /// The behaviour of an interceptor for an action.
    enum Step: Sendable, CaseIterable {
        case pass, replace, swallow, swallowFirst, swallowSecond, refuse, giveUp, fail, refuseAfterwards, failAfterwards
        case split, splitQuietly, tryAgain, translate, send

        /// Runs it. The store and the model call this with their own `next`.
        func run(_ name: String, _ action: Action, _ next: (Action) throws -> Void) throws {
            switch self {
            case .pass, .send: try next(action)
            case .replace: try next(action.becoming("r"))
            case .swallow: break
            case .swallowFirst: if !action.trace.contains("1") { try next(action) }
            case .swallowSecond: if !action.trace.contains("2") { try next(action) }
            case .giveUp: throw StoreError.cancelled
            case .refuse: throw StoreError.rejected(by: "the script of \(name)")
            case .fail: throw Defect()
            case .refuseAfterwards:
                try? next(action)
                throw StoreError.rejected(by: "the script of \(name), afterwards")
            case .failAfterwards:
                try? next(action)
                throw Defect()
            case .split:
                var first: (any Error)?
                for part in 1...3 { do { try next(action.becoming("\(part)")) } catch { first = first ?? error } }
                if let first { throw first }
            case .splitQuietly:
                for part in 1...2 { try? next(action.becoming("\(part)")) }
            case .tryAgain:
                do { try next(action) } catch { try next(action.becoming("a")) }
            case .translate:
                do { try next(action) } catch { throw StoreError.rejected(by: "the translation of \(name)") }
            }
        }
    }

    /// The behaviour of an asynchronous interceptor for an action, perhaps after a while.
    struct Gate: Sendable {
        enum Decision: Sendable { case pass, replace, swallow, refuse, cancel, fail }
        enum Delay: Sendable { case none, obedient, stubborn }

        var decision = Decision.pass
        var delay = Delay.none
    }

    /// Requests the response of an action.
    struct Question: Request {
        static let casePath = CasePath<Action, Question>(embed: { $0.action }, extract: { Question(action: $0) })

        var action: Action

        init(action: Action) {
            self.action = action
            self.action.isRequest = true
        }

        // Reducers respond to it.
        func reduce(into state: inout [String]) -> String { "" }
    }

    /// The effect requested by a reducer.
    enum Work: Sendable, CaseIterable {
        case plain, delayed
        /// The second part of a concatenation that begins after a delay.
        case concatenated
        /// The second part, whose delay does not end, so that it never begins.
        case vain
    }

    /// An error that is not a `StoreError`.
    struct Defect: Error {}
}

// MARK: At random

extension Pipeline.Script {
    static func random(using generator: inout SimulationGenerator) -> Pipeline.Script {
        var script = Pipeline.Script()
        // Every other action has many behaviours.
        let probability = generator.chance(0.5) ? 0.2 : 0.9
        for name in ["outer", "inner", "middle", "first", "guest"] where generator.chance(probability) {
            // Several parts with some refusals are the most error-prone case.
            let isOfParts = generator.chance(0.4)
            let steps = isOfParts ? [.split, .swallowFirst, .swallowSecond] : Pipeline.Step.allCases
            script.steps[name] = generator.element(of: steps)
        }
        for _ in 0..<2 { script.gates.append(.random(using: &generator)) }
        for place in Pipeline.Place.allCases {
            if generator.chance(0.2) { script.effects[place] = generator.element(of: Pipeline.Work.allCases) }
            if generator.chance(0.5) { script.answers.insert(place) }
        }
        if generator.chance(0.1) { script.last = generator.element(of: [.branch, .leaf]) }
        return script
    }
}

extension Pipeline.Gate {
    static func random(using generator: inout SimulationGenerator) -> Pipeline.Gate {
        Pipeline.Gate(
            decision: generator.chance(0.6)
                ? .pass : generator.element(of: [.replace, .swallow, .refuse, .cancel, .fail]),
            delay: generator.element(of: [.none, .obedient, .stubborn])
        )
    }
}

// MARK: For failures

extension Pipeline.Script: CustomStringConvertible {
    var description: String {
        var parts = steps.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
        parts += gates.map { "\($0.decision) \($0.delay)" }
        if !effects.isEmpty { parts.append("effects \(effects)") }
        if !answers.isEmpty { parts.append("answers \(answers)") }
        if let last { parts.append("no further than \(last)") }
        return "[" + parts.joined(separator: ", ") + "]"
    }
}

extension Pipeline.Action: CustomStringConvertible {
    var description: String { id }
}
