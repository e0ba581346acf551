/// What is done with a workspace, one after the other.
enum PaneOperation: Sendable {
    /// Actions one by one, in one batch, or sent by one action, so that they wait in the mailbox together.
    enum Manner: CaseIterable, Sendable { case each, batch, mailbox }

    /// What an action is to be.
    enum Move: Sendable {
        /// That of a pane, or of its tip, on which its parent changes slots.
        case pane(PaneSlot, key: Int, isTip: Bool, Order, [PaneEdit])
        /// The end of a presentation.
        case dismissal(PaneSlot, key: Int, isTip: Bool, [PaneEdit])
        case push(Int)
        /// What the parent does, or code around it.
        case edits([PaneEdit], isAround: Bool)
    }

    enum Order: Sendable {
        case begin(PaneEffect.Shape, id: Int?, isDetached: Bool)
        case note, leave, showTip, hideTip
        case cancel(id: Int)
        case renumber(Int, PaneEffect.Shape?)
    }

    /// Which of the effects that have begun does something; by its place among them, modulo their number.
    struct Call: Sendable {
        let place: Int
        let call: PaneCall
    }

    case moves([Move], Manner)
    /// In the middle of an action.
    case during([Call], Move)
    case call(Call)
    /// Code that is no action.
    case isolated(PaneEdit)
    case wait

    /// How much time passes when it does. No sum of debounces and throttles is a multiple of it.
    static let pause = 15
    /// How many of the last states can be put back.
    static let versions = 4
}
