import Foundation

/// How far a long work has come, in one line of the terminal. Nothing is shown elsewhere, nor of short work.
final class ProgressBar {
    private let label: String
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var lastShown: ContinuousClock.Instant?

    /// - Parameters:
    ///   - total: what the whole work counts.
    ///   - writesOutput: whether the work writes to standard output, which the bar must not disturb on a terminal.
    init(_ label: String, total: Int, writesOutput: Bool = false) {
        self.label = label
        self.total = max(total, 1)
        isShown =
            isatty(STDERR_FILENO) == 1 && !(writesOutput && isatty(STDOUT_FILENO) == 1)
            && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    deinit { hide() }

    /// Takes the bar away until the next update.
    func hide() {
        guard lastShown != nil else { return }
        lastShown = nil
        Output.error.show("\r\u{1B}[K")
    }

    /// - Parameter done: how much of the whole is done.
    func update(_ done: Int) {
        guard isShown else { return }
        let now = ContinuousClock.now
        guard now - start > .milliseconds(500), lastShown.map({ now - $0 > .milliseconds(100) }) ?? true
        else {
            return
        }
        lastShown = now
        let part = min(Double(done) / Double(total), 1)
        let width = 30
        let filled = Int(part * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        Output.error.show("\r\u{1B}[K\(bar) \(Int(part * 100)) % \(label)")
    }
}
