extension Effect {
    /// The same effect, whose work runs with a priority.
    ///
    /// It counts for work that has not asked for one nearer to where it is written.
    ///
    /// - Parameter priority: The priority of the tasks of this effect. Without it they have that of the dispatcher, or
    ///   for an action that was sent that of the ``StoreConfiguration``; also if they come after work with another
    ///   priority.
    /// - Complexity: O(*n*), where *n* is the number of effects of which this one is composed.
    public func priority(_ priority: TaskPriority) -> Effect {
        mapWork { work in
            if work.options.priority == nil { work.options.priority = priority }
        }
    }
}
