#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension DependencyContext {
    /// The context of this process.
    static let ofProcess = DependencyContext(arguments: CommandLine.arguments) { getenv($0) != nil }

    /// Creates a context from the way in which the process was started: the package manager and Xcode start tests in
    /// ways that can be recognised.
    init(arguments: [String], hasVariable: (String) -> Bool) {
        let program = arguments.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 } ?? ""
        let isTestProgram =
            program.hasSuffix(".xctest") || program == "xctest" || program == "swiftpm-testing-helper"
            || arguments.contains("--testing-library")
        let variables = ["XCTestConfigurationFilePath", "XCTestBundlePath", "XCTestSessionIdentifier"]
        self = isTestProgram || variables.contains(where: hasVariable) ? .test : .live
    }
}
