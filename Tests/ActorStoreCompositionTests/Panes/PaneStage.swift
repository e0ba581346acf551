import ActorStore
import ActorStoreCommands
import ActorStoreComposition

/// The running effects of panes, controlled by the test.
final class PaneStage: Sendable {
    private struct Player: Sendable {
        let send: Send<Pane.Command>
        let end: UnsafeContinuation<Void, Never>
    }

    private let players = LockedValue<[Int: Player]>([:])
    private let cancellations = LockedValue<Set<Int>>([])
    /// The last states, for restoration.
    let archive = LockedValue<[Workspace.State]>([Workspace.State()])
    let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// The operation of an effect: it ignores its cancellation.
    func run(_ number: Int, _ send: Send<Pane.Command>) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { end in
                players.withLock { $0[number] = Player(send: send, end: end) }
            }
        } onCancel: {
            cancellations.withLock { _ = $0.insert(number) }
        }
    }

    /// The effects with cancelled tasks.
    var cancelled: Set<Int> { cancellations.withLock { $0 } }

    /// The running effects, in the order of their requests.
    var begun: [Int] { players.withLock { $0.keys.sorted() } }

    /// Makes a running effect do something.
    func call(_ call: PaneCall, of number: Int) {
        guard let player = players.withLock({ $0[number] }) else { return }
        switch call {
        case .note: player.send(.note(number))
        case .dismiss: player.send.dismiss()
        case .end, .noteAndEnd:
            if call == .noteAndEnd { player.send(.note(number)) }
            players.withLock { $0[number] = nil }
            player.end.resume()
        }
    }

    /// The common behaviour of panes and tips.
    func perform(_ command: Pane.Command, noting notes: inout [Int]) -> Effect<Pane.Command> {
        switch command {
        case .note(let number): notes.append(number)
        case .begin(let effect), .renumber(_, let effect?): return effect.effect(on: self)
        case .cancel(let id): return .cancel(id: id)
        case .leave: return .dismiss()
        case .showTip, .hideTip, .renumber(_, nil): break
        }
        return .none
    }
}

/// The instructions for a running effect.
enum PaneCall: CaseIterable, Sendable { case note, noteAndEnd, end, dismiss }
