import Foundation
import PackagePlugin

/// Writes a file with the case paths of each target's action enums.
///
/// It reads the enums from the compiler, so a target must build before its case paths can be generated.
@main
struct GenerateCasePaths: CommandPlugin {
    static let help = """
        Writes CasePaths.generated.swift, which has a case path for each case of the enums of a target.

        usage: swift package --allow-writing-to-package-directory generate-case-paths [--target NAME]… [--enum NAME]… [--check]

          --target NAME  a target; without one, all that depend on ActorStore, except tests
          --enum NAME    an enum of the target, such as Feature.Action; without one, all whose name ends with Action
          --check        write nothing, and fail if a file is not current
        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var arguments = ArgumentExtractor(arguments)
        let names = arguments.extractOption(named: "target")
        let enums = arguments.extractOption(named: "enum")
        let checks = arguments.extractFlag(named: "check") > 0
        if arguments.extractFlag(named: "help") > 0 { return print(Self.help) }
        guard arguments.remainingArguments.isEmpty, enums.isEmpty || names.count == 1 else {
            throw Failure("\(Self.help)\n\n--enum needs exactly one --target.")
        }
        let targets =
            names.isEmpty
            ? context.package.targets.filter(\.usesActorStore) : try context.package.targets(named: names)
        let tool = try context.tool(named: "CasePathTool").url
        for target in targets {
            guard let target = target as? SwiftSourceModuleTarget else { continue }
            try update(target, by: tool, enums, checks: checks)
        }
    }

    private func update(
        _ target: SwiftSourceModuleTarget,
        by tool: URL,
        _ enums: [String],
        checks: Bool
    ) throws {
        let file = target.directoryURL.appending(path: "CasePaths.generated.swift")
        let options = PackageManager.SymbolGraphOptions(
            minimumAccessLevel: .internal,
            includeSynthesized: false,
            includeSPI: true,
            emitExtensionBlocks: false
        )
        guard let graphs = try? packageManager.getSymbolGraph(for: target, options: options) else {
            throw Failure(
                """
                The target \(target.name) has to build before its case paths can be generated; see the errors above. If it uses a \
                path that is not generated yet, such as .settings, write CasePath(Action.settings) in its place for now. If a \
                case was renamed or removed, rename or remove its extension in \(file.path), too.
                """
            )
        }
        let command =
            ["swift package --allow-writing-to-package-directory generate-case-paths --target \(target.name)"]
            + enums.map { "--enum \($0)" }
        let process = Process()
        process.executableURL = tool
        process.arguments =
            [checks ? "check" : "write", graphs.directoryURL.path, file.path, command.joined(separator: " ")] + enums
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("The case paths of \(target.name) are not \(checks ? "current" : "written").")
        }
    }
}

extension Target {
    /// Whether the target is not a test target, and depends directly on the library.
    fileprivate var usesActorStore: Bool {
        guard let module = self as? SwiftSourceModuleTarget, module.kind != .test else { return false }
        return dependencies.contains {
            switch $0 {
            case .product(let product): product.name == "ActorStore"
            case .target(let target): target.name == "ActorStore"
            @unknown default: false
            }
        }
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
