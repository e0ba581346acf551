/// A process with a desk, its customers and its supplier, until it gets the instruction to finish.
struct DeskProgram: Sendable {
    let arguments: DeskArguments
    private static let customers = 4

    func run() async throws {
        let instructions = DeskInstructions.ofProcess()
        let desk = try await Desk.open(arguments)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // After a crash their wishes differ from before.
            let start = UInt64(desk.book.snapshot.newestNumber)
            for number in 0..<Self.customers {
                let generator = SeededGenerator("\(desk.name)\(number)", arguments.seed, start)
                group.addTask {
                    try await Customer(desk: desk, isLeaving: instructions.isFinishing).shop(generator)
                }
            }
            group.addTask { try await Supplier(desk: desk, isLeaving: instructions.isFinishing).deliver() }
            try await group.waitForAll()
        }
        DeskLine.idle.say()
        for await revision in instructions.reports {
            try await desk.report(at: revision)
            break
        }
        try await desk.close()
    }
}
