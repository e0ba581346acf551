import Testing

@testable import ActorStore
@testable import ActorStoreComposition
@testable import TestFixtures

@Suite("Dependencies", .timeLimit(.minutes(10)))
struct DependencyTests {
    struct Service: Sendable {
        @Dependency(\.number) var number
        @Dependency(NumberKey.self) var numberByKey
        func ask() async -> Int { number }
    }

    @Test("Dependencies have test values in a test, and live values in a live context")
    func defaults() {
        #expect(DependencyValues().context == .test)
        #expect(Service().number == 1)
        withDependencies {
            $0.context = .live
        } operation: {
            #expect(Service().number == 100)
            #expect(Service().numberByKey == 100)
        }
    }

    @Test("An override applies to the operation, its calls and its tasks, and ends with it")
    func overrides() async {
        let service = Service()
        await withDependencies {
            $0.number = 2
        } operation: {
            #expect(service.number == 2 && service.numberByKey == 2)
            #expect(await service.ask() == 2)
            #expect(await Task { service.number }.value == 2)
            #expect(await Task.detached { service.number }.value == 1)
            withDependencies {
                $0.number += 1
            } operation: {
                #expect(service.number == 3)
            }
        }
        #expect(service.number == 1)
    }

    @Test("Dependencies in force at the creation apply later, unless others are in force at the use")
    func creationAndUse() {
        let service = withDependencies {
            $0.number = 2
        } operation: {
            Service()
        }
        #expect(service.number == 2)
        withDependencies {
            $0.number = 3
        } operation: {
            #expect(service.number == 3)
        }
        withDependencies {
            $0.untested = 3
        } operation: {
            #expect(service.number == 2)
        }
    }

    @Test("A dependent value sees the overrides of the property that requests it")
    func transitive() {
        enum DoubleKey: DependencyKey {
            static var liveValue: Int { 2 * Service().number }
            static var testValue: Int { liveValue }
        }
        struct Client { @Dependency(DoubleKey.self) var double }
        let client = withDependencies {
            $0.number = 5
        } operation: {
            Client()
        }
        #expect(client.double == 10)
    }

    @Test("An override can throw, be asynchronous, and be isolated to the caller's actor")
    func throwing() async throws {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try withDependencies { _ in
                throw Broken()
            } operation: {
            }
        }
        actor Counter {
            var count = 0
            func count(_ service: Service) async -> Int {
                await withDependencies {
                    $0.number = 9
                } operation: {
                    count += await service.ask()
                    return count
                }
            }
        }
        #expect(await Counter().count(Service()) == 9)
    }

    @Test("An operation with overrides stays on the caller's actor without capturing it")
    func isolation() async {
        final class Box { var number = 0 }
        actor Desk {
            let box = Box()
            func override() async -> Int {
                let (box, desk) = (box, self as any Actor)
                return await withDependencies {
                    $0.number = 9
                } operation: {
                    for _ in 0..<3 {
                        desk.assertIsolated()
                        box.number += 1
                        await Task.yield()
                    }
                    desk.assertIsolated()
                    return box.number
                }
            }
        }
        #expect(await Desk().override() == 3)
    }

    @Test("A dependency without a test value and override reports an issue in a test, and has its live value")
    func untested() {
        struct Client { @Dependency(\.untested) var number }
        let issues = Collector<String>()
        StoreIssueReporter.$scoped.withValue(StoreIssueReporter { issues.append($0.message) }) {
            #expect(Client().number == 7)
            withDependencies {
                $0.untested = 8
            } operation: {
                #expect(Client().number == 8)
            }
            withDependencies {
                $0.context = .live
            } operation: {
                #expect(Client().number == 7)
            }
        }
        #expect(issues.elements.count == 1)
        #expect(issues.elements.first?.contains("UntestedKey") == true)
    }

    @Test("A store can be a dependency, and be overridden like any other")
    func stores() async throws {
        struct Handler {
            @StoreOf(\.ledger) var ledger
            func handle() async throws { try await ledger.dispatch(.add(1)) }
        }
        let other = Ledger.store()
        try await withDependencies {
            $0.ledger = other
        } operation: {
            try await Handler().handle()
        }
        #expect(other.snapshot.total == 1)
        try await Handler().handle()
        #expect(Handler().ledger.snapshot.total == 1)
        #expect(other.snapshot.total == 1)
    }

    @Test("A test process is detected by its name, its arguments or its environment")
    func contextOfAProcess() {
        func context(_ arguments: [String], _ variable: String = "") -> DependencyContext {
            DependencyContext(arguments: arguments) { $0 == variable }
        }
        #expect(context(["/srv/shop", "--verbose"]) == .live)
        #expect(context([]) == .live)
        #expect(context(["/build/PackageTests.xctest"]) == .test)
        #expect(context(["/usr/bin/swiftpm-testing-helper"]) == .test)
        #expect(context(["/build/anything", "--testing-library", "swift-testing"]) == .test)
        #expect(context(["/build/anything"], "XCTestBundlePath") == .test)
    }
}
