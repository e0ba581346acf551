import Synchronization

/// An asynchronous interceptor as one store uses it.
struct InstalledAsyncInterceptor<State: Sendable, Action: Sendable>: IdentifiedUse, Sendable {
    let identity: InterceptorIdentity
    let interceptor: AsyncInterceptor<State, Action>
}

extension StoreCore {
    private typealias Installed = InstalledAsyncInterceptor<State, Action>

    /// The asynchronous interceptors, in the order in which they came. In the turn.
    private var asyncInterceptors: [Installed] {
        get { lazyAsyncInterceptors as? [Installed] ?? [] }
        set { lazyAsyncInterceptors = newValue }
    }

    /// Has dispatches that begin from now on pass through an asynchronous interceptor.
    func use(_ interceptor: AsyncInterceptor<State, Action>) -> Interception {
        let installed = Installed(identity: InterceptorIdentity(), interceptor: interceptor)
        // Counted at once, so that a dispatch that begins after this asks, and, because it asks in a turn, finds it.
        asyncInterceptorCount.addAcquiringAndReleasing(1)
        submit { core in
            guard !core.lifecycle.isEnded else { return core.forgetAsyncInterceptors(1) }
            core.asyncInterceptors.append(installed)
            core.extras.insert(.asyncInterceptors)
        }
        return Interception(installed.identity) { [weak self] identity in
            self?.submit { core in
                guard let removed = core.asyncInterceptors.uninstall(identity) else { return }
                core.deferred.abandon(removed)
                core.forgetAsyncInterceptors(1)
            }
        }
    }

    /// Takes all of them out, because the store has ended.
    func uninstallAsyncInterceptors() {
        guard lazyAsyncInterceptors != nil else { return }
        forgetAsyncInterceptors(asyncInterceptors.count)
        deferred.abandon(asyncInterceptors)
        asyncInterceptors = []
    }

    private func forgetAsyncInterceptors(_ count: Int) {
        let before = asyncInterceptorCount.subtractAcquiringAndReleasing(count).oldValue
        extras.set(.asyncInterceptors, to: before > count)
    }

    /// Has an action pass through the asynchronous interceptors before it is accepted.
    ///
    /// - Returns: the action to go on with.
    /// - Throws: why it is not to be accepted.
    @usableFromInline
    func askFirst(_ action: Action, isolation: isolated (any Actor)? = #isolation) async throws(StoreError) -> Action {
        if isClosed { throw refusal }
        // A task that was cancelled before may dispatch nevertheless, to leave everything in order.
        let wasCancelled = Task.isCancelled
        var action = action
        for installed in await perform({ [self] in asyncInterceptors }) {
            // Again, because the wait for them, or for the answer of the one before, can have been long.
            if isClosed { throw refusal }
            do throws(StoreError) {
                action = try await pass(action, through: installed.interceptor, wasCancelled: wasCancelled)
            } catch {
                if error != .cancelled { instrumentPanel.load()?.drop(1, action, because: .rejected(error)) }
                throw error
            }
        }
        return action
    }

    private func pass(
        _ action: Action,
        through interceptor: AsyncInterceptor<State, Action>,
        wasCancelled: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(StoreError) -> Action {
        do {
            if let action = try await interceptor.body(action, WeakStore(core: self)) {
                // Whoever dispatches has been told to give up, whether the interceptor has noticed or not.
                if Task.isCancelled && !wasCancelled { throw StoreError.cancelled }
                return action
            }
            noteRejection()
        } catch let failure where Task.isCancelled && (!wasCancelled || failure is CancellationError) {
            // Whatever it has made of its cancellation, it is no decision about the action.
            throw .cancelled
        } catch let error as StoreError {
            noteRejection()
            throw error
        } catch {
            noteRejection()
            inTurn { [self] in report(error, ofInterceptor: interceptor.name) }
        }
        throw .rejected(by: interceptor.name)
    }
}
