import Testing

@testable import Inventory

@Suite("Arguments of the inventory", .timeLimit(.minutes(10)))
struct ArgumentsTests {
    @Test("Without arguments the program is a demo with twelve kills")
    func none() throws {
        for arguments in [[], ["demo"]] {
            guard case .demo(let demo) = try Arguments(parsing: arguments) else {
                Issue.record("This is no demo.")
                return
            }
            #expect(demo.kills == 12 && demo.engine == .redis)
        }
    }

    @Test("Options are read in any order")
    func options() throws {
        let options = try Options(["--seed", "7", "--kills", "0"], names: ["--kills", "--seed"])
        let demo = try DemoArguments(options)
        #expect(demo.kills == 0 && demo.seed == 7)
        #expect(try Arguments(parsing: ["--seed", "7", "--kills", "0"]) == .demo(demo))
        let words = ["desk", "--port", "1", "--log", "a b", "--name", "A"]
        guard case .desk(let desk) = try Arguments(parsing: words) else {
            Issue.record("This is no desk.")
            return
        }
        #expect(desk.name == "A" && desk.log == "a b" && desk.port == 1 && desk.seed == 1)
        #expect(desk.engine == .redis)
    }

    @Test("The engine is chosen for the demo and for a desk", arguments: Engine.allCases)
    func engine(engine: Engine) throws {
        guard case .demo(let demo) = try Arguments(parsing: ["demo", "--engine", engine.rawValue]),
            case .desk(let desk) = try Arguments(
                parsing: ["desk", "--name", "A", "--log", "a", "--port", "1", "--engine", engine.rawValue]
            )
        else {
            Issue.record("This is no demo, or no desk.")
            return
        }
        #expect(demo.engine == engine && desk.engine == engine)
    }

    @Test(
        "An invalid argument is refused by name",
        arguments: [
            (["shop"], ArgumentsError.unknown("shop")),
            (["--port", "1"], .unknown("--port")),
            (["--engine", "mysql"], .invalid("--engine", "mysql")),
            (["--kills"], .missing("the value of --kills")),
            (["--kills", "-1"], .invalid("--kills", "-1")),
            (["--kills", "many"], .invalid("--kills", "many")),
            (["--seed", "-1"], .invalid("--seed", "-1")),
            (["desk"], .missing("--name")),
            (["desk", "--name", "A-1"], .invalid("--name", "A-1")),
            (["desk", "--name", "A"], .missing("--log")),
            (["desk", "--name", "A", "--log", "a"], .missing("--port")),
            (["desk", "--name", "A", "--log", "a", "--port", "0"], .invalid("--port", "0")),
        ]
    )
    func refused(arguments: [String], error: ArgumentsError) {
        #expect(throws: error) { try Arguments(parsing: arguments) }
    }
}
