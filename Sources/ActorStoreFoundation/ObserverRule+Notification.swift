import ActorStore
public import ActorStoreCommands
public import Foundation

extension ObserverRule {
    /// Asks for an action for each notification of a name.
    ///
    /// ```swift
    /// let rules = Interceptor<State, Action>.observing(
    ///     .onNotification(.configurationDidChange) { notification in .reload(notification.userInfo?["path"] as? String) }
    /// )
    /// ```
    ///
    /// The actions are sent in the order in which the notifications were posted, by the thread that posts. The
    /// registration ends when the store uses the rule no longer, or has ended; it does not keep the store alive.
    ///
    /// - Parameters:
    ///   - name: The name, or nil for notifications of all names.
    ///   - object: Whose notifications; nil for those of everybody. It is not kept alive.
    ///   - center: Where the notifications are posted.
    ///   - action: Makes an action of a notification, or nil. Runs on the thread that posts, which waits for it.
    public static func onNotification(
        _ name: Notification.Name?,
        object: (AnyObject & Sendable)? = nil,
        center: NotificationCenter = .default,
        _ action: @escaping @Sendable (_ notification: Notification) -> Action?
    ) -> ObserverRule {
        .source { [weak object, watchesObject = object != nil] send in
            // An object that is gone posts nothing more, and nil would stand for all objects.
            if watchesObject && object == nil { return {} }
            let registration = NotificationRegistration(
                center: center,
                token: center.addObserver(forName: name, object: object, queue: nil) { notification in
                    if let action = action(notification) { send(action) }
                }
            )
            return { registration.end() }
        }
    }
}

/// An observer of a notification center.
private struct NotificationRegistration: @unchecked Sendable {
    // Sound: the token is not touched but handed back, and a notification center may be used from any thread.
    let center: NotificationCenter
    let token: any NSObjectProtocol

    func end() { center.removeObserver(token) }
}
