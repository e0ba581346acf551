extension TreeRoot {
    /// Tells the observers of states that are made of others. In the turn.
    @usableFromInline
    final func notifyDerived() {
        derived.forEach { $0.check() }
    }

    /// Has something end when all have been told of the change with which it goes, so that those who observe it are
    /// told of that first. In the turn, by an observer that is being told.
    @usableFromInline
    final func endWhenAllAreTold(_ gone: ObservableStorage, _ end: @escaping () -> Void) {
        endings.append(TreeParts.Ending(gone: gone, end: end))
    }

    /// Ends what has gone with a change of which all have been told by now. In the turn.
    @usableFromInline
    final func endWhatHasGone() {
        isEndingWhatHasGone = true
        // What has gone tells its observers the last that it was, with which more can go. All of that is told before
        // the first of it ends, because what lies in another one ends with that.
        while progress.contains(.endings) {
            var told: [TreeParts.Ending] = []
            while progress.contains(.endings) {
                let new = endings
                endings = []
                for ending in new { ending.gone.tellLast() }
                told += new
            }
            for ending in told { ending.end() }
            // They hold what has gone, which is code of users.
            retire(told)
        }
        isEndingWhatHasGone = false
    }

    /// Has those told who observe something that ends: at once if it goes with a change, because the sender of an
    /// action tells observers; otherwise by a background task, because who releases what they observe may hold locks
    /// that they take. In the turn.
    final func tellOfEnd(_ tell: @escaping () -> Void) {
        if isEndingWhatHasGone { tell() } else { deferCall { [self] in inTurn(tell) } }
    }
}
