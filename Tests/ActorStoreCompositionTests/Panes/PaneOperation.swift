/// The operations on a workspace, one after the other.
enum PaneOperation: Sendable {
    /// Actions one by one, in one batch, or sent by one action, so that they wait in the mailbox together.
    enum Manner: CaseIterable, Sendable { case each, batch, mailbox }

    /// The kinds of actions.
    enum Move: Sendable {
        /// The action of a pane, or of its tip, on which its parent changes slots.
        case pane(PaneSlot, key: Int, isTip: Bool, Order, [PaneEdit])
        /// The end of a presentation.
        case dismissal(PaneSlot, key: Int, isTip: Bool, [PaneEdit])
        case push(Int)
        /// The changes by the parent, or by code around it.
        case edits([PaneEdit], isAround: Bool)
    }

    enum Order: Sendable {
        case begin(PaneEffect.Shape, id: Int?, isDetached: Bool)
        case note, leave, showTip, hideTip
        case cancel(id: Int)
        case renumber(Int, PaneEffect.Shape?)
    }

    /// The running effect that does something; by its place among them, modulo their number.
    struct Call: Sendable {
        let place: Int
        let call: PaneCall
    }

    case moves([Move], Manner)
    /// Within an action.
    case during([Call], Move)
    case call(Call)
    /// Code outside actions.
    case isolated(PaneEdit)
    case wait

    /// The time that passes meanwhile. No sum of debounces and throttles is a multiple of it.
    static let pause = 15
    /// The number of last states that can be restored.
    static let versions = 4
}
