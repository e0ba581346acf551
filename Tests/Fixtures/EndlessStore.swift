import ActorStore

/// A store that counts its actions, and whose reducer sends each of them again.
func endlessStore() -> Store<Int, Int> {
    Store(
        initialState: 0,
        reducer: Reduce<Int, Int> { count, step in
            count += 1
            return .send(step)
        }
    )
}
