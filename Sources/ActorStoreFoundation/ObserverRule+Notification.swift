import ActorStore
public import ActorStoreCommands
public import Foundation

extension ObserverRule {
    /// Returns a rule that sends an action for each notification with a name.
    ///
    /// ```swift
    /// let rules = Interceptor<State, Action>.observing(
    ///     .onNotification(.configurationDidChange) { notification in
    ///         .reload(notification.userInfo?["path"] as? String)
    ///     }
    /// )
    /// ```
    ///
    /// The actions are sent in the order in which the notifications were posted, on the posting thread. The
    /// registration ends when the store no longer uses the rule, or has ended. It does not retain the store.
    ///
    /// - Parameters:
    ///   - name: The name, or nil for notifications of all names.
    ///   - object: The sender of the notifications; nil for all senders. It is not retained.
    ///   - center: The notification center.
    ///   - action: Returns the action for a notification, or nil to send none. Runs on the posting thread, which waits
    ///     for it.
    /// - Returns: A rule for the notifications.
    public static func onNotification(
        _ name: Notification.Name?,
        object: (AnyObject & Sendable)? = nil,
        center: NotificationCenter = .default,
        _ action: @escaping @Sendable (_ notification: Notification) -> Action?
    ) -> ObserverRule {
        .source { [weak object, watchesObject = object != nil] send in
            // A released object posts nothing more, and nil would mean all objects.
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
    // Sound: the token is only passed back, and a notification center may be used from any thread.
    let center: NotificationCenter
    let token: any NSObjectProtocol

    func end() { center.removeObserver(token) }
}
