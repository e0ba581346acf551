import ActorStore
import ActorStoreCommands
import ActorStoreComposition

/// The effects of panes that have begun and not ended, in the hands of the test.
final class PaneStage: Sendable {
    private struct Player: Sendable {
        let send: Send<Pane.Command>
        let end: UnsafeContinuation<Void, Never>
    }

    private let players = LockedValue<[Int: Player]>([:])
    private let cancellations = LockedValue<Set<Int>>([])
    /// The last states, to be put back.
    let archive = LockedValue<[Workspace.State]>([Workspace.State()])
    let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) { self.clock = clock }

    /// What the work of an effect does: it takes no notice of its cancellation.
    func run(_ number: Int, _ send: Send<Pane.Command>) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { end in
                players.withLock { $0[number] = Player(send: send, end: end) }
            }
        } onCancel: {
            cancellations.withLock { _ = $0.insert(number) }
        }
    }

    /// The effects whose tasks have been cancelled.
    var cancelled: Set<Int> { cancellations.withLock { $0 } }

    /// The effects that have begun and not ended, in the order in which they were asked for.
    var begun: [Int] { players.withLock { $0.keys.sorted() } }

    /// Has an effect do something, if it has begun and not ended.
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

    /// What panes and tips do alike.
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

/// What an effect that has begun is told to do.
enum PaneCall: CaseIterable, Sendable { case note, noteAndEnd, end, dismiss }
