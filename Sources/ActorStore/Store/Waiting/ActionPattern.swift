/// Which actions somebody waits for, and what is taken out of them.
///
/// ```swift
/// try await store.take(.where(\.isOrder))
/// try await store.take(.case(.signedIn))
/// ```
public struct ActionPattern<Action: Sendable, Value: Sendable>: Sendable {
    let extract: @Sendable (Action) -> Value?

    /// Returns a pattern that takes something out of an action.
    ///
    /// An answer that can be of several kinds is taken like this:
    ///
    /// ```swift
    /// let answer = ActionPattern<Action, Result<User, SignInError>>.matching { action in
    ///     switch action {
    ///     case .signedIn(let user): .success(user)
    ///     case .signInFailed(let error): .failure(error)
    ///     default: nil
    ///     }
    /// }
    /// let outcome = try await store.take(answer) { try await store.dispatch(.signIn(name)) }
    /// ```
    ///
    /// - Parameter extract: Takes something out of an action, or returns nil for one that does not match. Called in the
    ///   store's turn, so that it must not block.
    public static func matching(_ extract: @escaping @Sendable (_ action: Action) -> Value?) -> ActionPattern {
        ActionPattern(extract: extract)
    }

    /// Returns a pattern that matches a case, and takes out its value.
    ///
    /// - Parameter casePath: The case. One that finds its values by reflection takes some microseconds for each action.
    public static func `case`(_ casePath: CasePath<Action, Value>) -> ActionPattern {
        ActionPattern(extract: casePath.extraction)
    }

    /// Returns a pattern that matches actions which satisfy a condition, and takes them as they are.
    ///
    /// - Parameter isMatching: The condition. Called in the store's turn, so that it must not block.
    public static func `where`(
        _ isMatching: @escaping @Sendable (_ action: Action) -> Bool
    ) -> ActionPattern where Value == Action {
        ActionPattern { isMatching($0) ? $0 : nil }
    }
}
