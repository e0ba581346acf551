extension Effect {
    /// The same effect, with actions made of the errors of all the work in it.
    ///
    /// ```swift
    /// return .merge(.task { .rates(try await rates.load()) }, .task { .fees(try await fees.load()) })
    ///     .catch { error in .loadingFailed(String(describing: error)) }
    /// ```
    ///
    /// It counts for work that has nothing of the kind yet: what caught an error nearer to where it was thrown, whether
    /// the `catch:` or `then:` of the work or a `catch` further inside, has done with it. A concatenation goes on after
    /// an error, so there can be several.
    ///
    /// - Parameter failure: Makes an action of an error, or nil to let it be. What cancelled work throws does not come
    ///   to it.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func `catch`(_ failure: @escaping @Sendable (_ error: any Error) -> Action?) -> Effect {
        mapWork { work in
            if work.failure == nil { work.failure = .plain(failure) }
        }
    }

    /// Fails with an error, without doing anything.
    ///
    /// The error goes where those of work go: to ``catch(_:)``, and if there is none to ``Store/errors`` and to the
    /// ``StoreTask`` of the action.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - fileID: Where the effect is written; leave the default.
    ///   - line: Where the effect is written; leave the default.
    public static func fail(_ error: any Error, fileID: String = #fileID, line: UInt = #line) -> Effect {
        .run(fileID: fileID, line: line) { _ in throw error }
    }
}
