import Foundation

/// Keeps the input that took the processor longest, in a file that the environment names: cost that grows faster than the input shows
/// long before an input takes too much time.
struct SlowestInput {
    /// The environment variable with the path of the file.
    private static let variable = "FUZZ_SLOWEST"

    private let file: URL
    private var milliseconds = 0

    init?() {
        guard let path = ProcessInfo.processInfo.environment[Self.variable] else { return nil }
        file = URL(fileURLWithPath: path)
    }

    /// Keeps an input that took longer than all before it, and says so.
    mutating func see(_ input: Data, milliseconds: Int) {
        guard milliseconds > self.milliseconds else { return }
        self.milliseconds = milliseconds
        try? input.write(to: file)
        print("the slowest input so far: \(milliseconds) ms, \(input.count) bytes")
    }
}
