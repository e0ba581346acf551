import ActorStoreSimulation

@testable import ActorStore

/// The operations of senders on a bureau.
enum PolicyOperation: Sendable {
    case send(WorkRequest, child: Int?)
    case sendBatch([WorkRequest])
    case dispatch(WorkRequest, child: Int?, tracksFeedback: Bool)
    /// Cancels the sender's dispatches, the newest first.
    case cancelTask(Int)
    case cancelAll
    case cancelID(WorkKey)
    case remove(child: Int)
    case replace(child: Int)
    case pause(milliseconds: Int)

    static func random(using generator: inout SimulationGenerator) -> PolicyOperation {
        let child: Int? = generator.chance(0.3) ? generator.number(below: 2) : nil
        switch generator.number(below: 26) {
        case 0...3: return .send(WorkGenerator.request(using: &generator), child: child)
        case 4: return .sendBatch((0..<2).map { _ in WorkGenerator.request(using: &generator) })
        case 5...9:
            let request = WorkGenerator.request(using: &generator)
            return .dispatch(request, child: child, tracksFeedback: generator.chance(0.4))
        case 10...12: return .send(WorkGenerator.repeatedRequest(using: &generator), child: child.map { _ in 0 })
        case 13...15: return .cancelTask(generator.number(below: 3))
        case 16 where generator.chance(0.4): return .cancelAll
        case 17, 18: return .cancelID(generator.element(of: WorkKey.allCases))
        case 19: return .remove(child: generator.number(below: 2))
        case 20: return .replace(child: generator.number(below: 2))
        default: return .pause(milliseconds: 5 * (1 + generator.number(below: 3)))
        }
    }
}

/// A user of a bureau.
final class PolicySender: @unchecked Sendable {
    // Sound: used by one task, which runs sequentially.
    private var tasks: [(base: Int, task: StoreTask)] = []
    private let bureau: Bureau

    init(_ bureau: Bureau) { self.bureau = bureau }

    func perform(_ operation: PolicyOperation) async throws {
        let (log, store) = (bureau.log, bureau.store)
        switch operation {
        case .send(let request, let child):
            store.send(action(.ask(request, base: bureau.nextBase(), .none), child))
        case .sendBatch(let requests):
            store.send(contentsOf: requests.map { action(.ask($0, base: bureau.nextBase(), .batch), nil) })
        case .dispatch(let request, let child, let tracksFeedback):
            let base = bureau.nextBase()
            let ask = action(.ask(request, base: base, .dispatch(tracksFeedback: tracksFeedback)), child)
            let task = try await store.dispatch(ask, tracksFeedback: tracksFeedback)
            tasks.append((base, task))
            bureau.simulation.start("finish \(base)") {
                let hasFailed: Bool
                do {
                    try await task.finish()
                    hasFailed = false
                } catch is CancellationError {
                    return
                } catch {
                    hasFailed = true
                }
                log.append(.finished(base: base, hasFailed: hasFailed))
            }
        case .cancelTask(let index):
            guard index < tasks.count else { return }
            let (base, task) = tasks[tasks.count - 1 - index]
            log.append(.cancelTask(base: base))
            task.cancel()
        case .cancelAll:
            bureau.logNext(.cancelAll)
            await store.cancelAllEffects()
        case .cancelID(let key):
            bureau.logNext(.cancelID(key))
            await store.cancelEffects(id: key.identity(0))
        case .remove(let child): store.send(.remove(child))
        case .replace(let child):
            store.send(.remove(child))
            store.send(.add(child))
        case .pause(let milliseconds): try await bureau.simulation.clock.sleep(for: .milliseconds(milliseconds))
        }
    }

    private func action(_ action: Bureau.WorkAction, _ child: Int?) -> Bureau.Action {
        child.map { .child($0, action) } ?? .own(action)
    }
}
