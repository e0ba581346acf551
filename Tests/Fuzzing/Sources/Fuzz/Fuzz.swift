import CFuzzer
import Foundation

/// Feeds one of the targets with inputs that libFuzzer makes up.
///
/// One program for all targets, so that there is one to build; which it is says the environment, because libFuzzer
/// reads the command line, and starts the program anew with the same one when it merges.
@main
enum Fuzz {
    private static let chosen = FuzzTarget.all.first { $0.name == ProcessInfo.processInfo.environment["FUZZ_TARGET"] }

    static func main() {
        guard chosen != nil else {
            print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
            return
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            LLVMFuzzerRunDriver(&count, &arguments) { data, count in
                // libFuzzer owns the bytes, and keeps them until this returns.
                var bytes = Bytes(Array(UnsafeBufferPointer(start: data, count: count)))
                Fuzz.chosen?.run(&bytes)
                return 0
            }
        )
    }
}
