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
    private(set) var parts: [(owner: any EffectOwner, launch: EffectLaunch)] = []

    /// - Parameter tracker: that of others for whose end the action is awaited.
    @usableFromInline
    init(joining tracker: EffectTracker? = nil) {
        self.tracker = tracker
    }

    /// Whether there is anything to start.
    var isNeeded: Bool { !parts.isEmpty }

    /// Adds the effects that an action has in one store.
    mutating func add(_ launch: EffectLaunch, of owner: some EffectOwner) {
        tracker = launch.tracker ?? tracker
        if launch.isNeeded { parts.append((owner, launch)) }
    }

    /// Starts the tasks.
    @usableFromInline
    func start(_ context: Context) {
        for (owner, launch) in parts {
            switch context {
            case .inheriting: owner.startTasksInheriting(launch)
            case .detached: owner.startTasksDetached(launch)
            }
        }
    }
}

/// What a dispatcher learns of its action.
@usableFromInline typealias TravelResult = Result<TravelLaunch, StoreError>
