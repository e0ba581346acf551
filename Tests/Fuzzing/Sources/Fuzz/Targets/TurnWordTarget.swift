@testable import ActorStore

/// The word of a store's turns against its separate parts.
enum TurnWordTarget {
    private struct Model: Equatable {
        var (isOwned, isPending, isWriting, isParked) = (false, false, false, false)
        var (active, waiting) = (UInt64(0), UInt64(0))
        var phase = false

        init() {}

        init(_ word: TurnWord) {
            (isOwned, isPending, isWriting) = (word.isOwned, word.isPending, word.isWriting)
            (isParked, phase) = (word.hasParkedReaders, word.phase != 0)
            (active, waiting) = (word.activeReaders, word.waitingReaders)
        }

        var isIdle: Bool { !isOwned && !isPending && !isWriting && !isParked && active == 0 && waiting == 0 }
    }

    static func run(_ bytes: inout Bytes) {
        var word = TurnWord(bits: 0)
        var model = Model()
        while let operation = bytes.next() {
            let next = operate(word, &model, Int(operation % 11))
            word = next ?? word
            demand(Model(word) == model, "The word says \(Model(word)), and not \(model).")
            demand(!model.isWriting || model.isOwned, "The turn is written without an owner.")
            demand(model.waiting == 0 && !model.isParked || model.isWriting, "A reader waits for nothing.")
        }
    }

    /// A valid transition of a situation; nil if it must not change anything.
    private static func operate(_ word: TurnWord, _ model: inout Model, _ operation: Int) -> TurnWord? {
        switch operation {
        case 0:
            let taken = word.takenIfIdle
            demand((taken != nil) == model.isIdle, "takenIfIdle")
            if model.isIdle { (model.isOwned, model.isWriting) = (true, true) }
            return taken
        case 1 where model.isWriting:
            let left = word.leftIfUndisturbed
            let isUndisturbed = !model.isPending && !model.isParked && model.active == 0 && model.waiting == 0
            demand((left != nil) == isUndisturbed, "leftIfUndisturbed")
            if isUndisturbed { (model.isOwned, model.isWriting) = (false, false) }
            return left
        case 2 where model.isOwned && !model.isWriting:
            let left = word.leftUnlessPending
            demand((left == nil) == model.isPending, "leftUnlessPending")
            if !model.isPending { model.isOwned = false }
            return left
        case 3 where model.isOwned && !model.isWriting:
            (model.isOwned, model.isPending) = (false, true)
            return word.leftForOthers
        case 4 where !model.isWriting:
            let taken = word.takenOver
            demand((taken != nil) == (model.isPending && !model.isOwned), "takenOver")
            if taken != nil { model.isOwned = true }
            return taken
        case 5 where model.isWriting:
            (model.isWriting, model.isParked) = (false, false)
            if model.waiting > 0 { model.phase.toggle() }
            (model.active, model.waiting) = (model.active + model.waiting, 0)
            return word.withWritingEnded
        case 6:
            if model.isWriting { model.waiting += 1 } else { model.active += 1 }
            return word.withOneMoreReader
        case 7 where !model.isWriting:
            let joined = word.withOneMoreReaderIfQuiet
            demand((joined != nil) == (!model.isOwned && !model.isPending), "withOneMoreReaderIfQuiet")
            if joined != nil { model.active += 1 }
            return joined
        case 8 where model.waiting > 0:
            model.isParked = true
            return word.withParkedReader(of: word.phase)
        case 9 where model.active > 0:
            model.active -= 1
            return TurnWord(bits: word.bits - TurnWord.oneActiveReader)
        case 10:
            // The gate's transitions when a message arrives, when it is read, and when the owner begins to write.
            if !model.isPending {
                model.isPending = true
                return TurnWord(bits: word.bits | TurnWord.pendingBit)
            }
            guard model.isOwned else { return nil }
            model.isPending = false
            guard !model.isWriting else { return TurnWord(bits: word.bits & ~TurnWord.pendingBit) }
            model.isWriting = true
            return TurnWord(bits: word.bits & ~TurnWord.pendingBit | TurnWord.writingBit)
        default:
            return nil
        }
    }
}
