/// The effects of an action on its way up the tree: those of several stores, which its dispatcher awaits as one.
@usableFromInline
struct TravelLaunch: Sendable {
    /// How an effect's task is started: in the context of the calling task, or detached.
    @usableFromInline
    enum Context: Sendable {
        case inheriting
        case detached
    }

    @usableFromInline private(set) var tracker: EffectTracker?
    private var starts: [@Sendable (Context) -> Void] = []

    /// - Parameter tracker: that of others for whose end the action is awaited.
    @usableFromInline
    init(joining tracker: EffectTracker? = nil) {
        self.tracker = tracker
    }

    /// Adds the effects that an action has in one store.
    mutating func add<Host: EffectHost>(_ launch: EffectLaunch<Host.Action>, of host: Host) {
        tracker = launch.tracker ?? tracker
        guard launch.isNeeded else { return }
        let tasks = launch.starts
        starts.append { [weak host] context in
            switch context {
            case .inheriting: host?.startTasksInheriting(tasks)
            case .detached: host?.startTasksDetached(tasks)
            }
        }
    }

    /// Starts the tasks.
    @usableFromInline
    func start(_ context: Context) {
        for start in starts { start(context) }
    }
}

/// What a dispatcher learns of its action.
@usableFromInline typealias TravelResult = Result<TravelLaunch, StoreError>
