/// Those who observe the same.
@usableFromInline
protocol ObservedGroup: AnyObject {
    /// What is observed.
    var subject: ObservedSubject { get }
    /// By what others find the group; nil if it is not shared.
    var key: GroupKey? { get }
    /// Where it is observed.
    var source: ObservableStorage? { get }
    /// The observers, in the store's turn.
    ///
    /// - Parameter sources: the places in the program that they have the numbers of.
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord]
}

extension Broadcast: ObservedGroup {
    @usableFromInline
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord] {
        let subject = subject.description
        let closures = closures.compactMap { observer in
            observer.map {
                ObserverRecord(
                    isClosure: true,
                    subject: subject,
                    source: source($0.source, in: sources),
                    since: $0.since,
                    delivered: $0.calls,
                    pending: 0,
                    dropped: 0
                )
            }
        }
        let sequences = lock.withLock {
            members.map { subscriber in
                ObserverRecord(
                    isClosure: false,
                    subject: subject,
                    source: source(subscriber.source, in: sources),
                    since: subscriber.since,
                    delivered: subscriber.delivered,
                    pending: subscriber.buffer?.count ?? (subscriber.seen == version.loadRelaxed() ? 0 : 1),
                    dropped: subscriber.buffer?.dropped ?? 0
                )
            }
        }
        return closures + sequences
    }

    private func source(_ number: UInt32, in sources: [CodeLocation]) -> CodeLocation? {
        number == 0 ? nil : sources[Int(number) - 1]
    }
}

extension TableChangeDetector: ObservedGroup {
    @usableFromInline var subject: ObservedSubject { .unshared }
    @usableFromInline var key: GroupKey? { nil }
    @usableFromInline var source: ObservableStorage? { nil }

    @usableFromInline
    func observers(_ sources: [CodeLocation]) -> [ObserverRecord] {
        inOrder.flatMap { $0.observers(sources) }
    }
}
