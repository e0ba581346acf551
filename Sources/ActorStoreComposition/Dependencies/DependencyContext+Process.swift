#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DependencyContext {
    /// What this process is.
    static let ofProcess = DependencyContext(arguments: CommandLine.arguments) { getenv($0) != nil }

    /// A process that runs tests is known by how the package manager, or Xcode, has started it.
    init(arguments: [String], hasVariable: (String) -> Bool) {
        let program = arguments.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
        let isTestProgram =
            program.hasSuffix(".xctest") || program == "xctest" || program == "swiftpm-testing-helper"
            || arguments.contains("--testing-library")
        let variables = ["XCTestConfigurationFilePath", "XCTestBundlePath", "XCTestSessionIdentifier"]
        self = isTestProgram || variables.contains(where: hasVariable) ? .test : .live
    }
}
