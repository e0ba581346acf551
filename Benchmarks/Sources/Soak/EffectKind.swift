import ActorStore

/// The effects of a soak.
enum EffectKind: Int, CaseIterable, Sendable {
    case quick, atOnce, hanging, throwing, stubborn, timer, newest, queued, dropped, debounced, throttled, retried,
        late, several

    private struct Failure: Error {}

    func effect(id: Int, _ echoes: EchoCounter) -> Effect<SoakAction> {
        let quick = Effect<SoakAction>.run { echoes.send($0) }
        let hanging = Effect<SoakAction>.run(id: id, policy: .newest(2)) { send in
            await untilCancelled()
            echoes.send(send)
        }
        switch self {
        case .quick: return quick
        case .atOnce:
            echoes.note()
            return .send(.echo)
        case .hanging: return hanging
        case .throwing:
            return .run { _ in
                throw Failure()
            } catch: { _ in
                echoes.note()
                return .echo
            }
        case .stubborn:
            return .run(id: "stubborn", policy: .newest(8)) { send in
                // Continues for a while after its cancellation.
                await Task.detached { try? await Task.sleep(for: .milliseconds(20)) }.value
                echoes.send(send)
            }
        case .timer:
            return .timer(id: "timer \(id)", policy: .cancelInFlight, every: .milliseconds(2)) { _ in
                echoes.note()
                return .echo
            }
        case .newest: return quick.cancellable(id: id, policy: .newest(3))
        case .queued: return quick.cancellable(id: "queue \(id)", policy: .oldest(2, overflow: .suspend))
        case .dropped: return quick.cancellable(id: id, policy: .oldest(3, overflow: .drop))
        case .debounced: return quick.debounce(id: "debounce \(id)", for: .milliseconds(2), maxWait: .milliseconds(20))
        case .throttled: return quick.throttle(id: "throttle \(id)", for: .milliseconds(1))
        case .retried:
            return .run { _ in
                throw Failure()
            } catch: { _ in
                nil
            }.retry(RetryPolicy(maxAttempts: 3, backoff: .constant(.milliseconds(1))))
        case .late: return hanging.timeout(after: .milliseconds(5))
        case .several:
            return .merge(quick, .concatenate(quick, hanging, quick), .cancel(id: id))
                .cancellable(id: "several \(id)", policy: .cancelInFlight)
        }
    }
}

/// Returns when the task is cancelled. Not a long sleep: the runtime keeps some memory of a cancelled one until its
/// deadline.
func untilCancelled() async {
    let (nothing, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in nothing {}
    withExtendedLifetime(continuation) {}
}
