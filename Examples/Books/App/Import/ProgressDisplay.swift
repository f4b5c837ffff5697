import Foundation

/// Shows how far an import is: a bar on a terminal, a plain line now and then elsewhere.
struct ProgressDisplay {
    private static let width = 30
    private let size: Int?
    private let isTerminal: Bool
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var last: ContinuousClock.Instant
    private var isBarShown = false

    /// - Parameter size: the number of bytes; nil if it is not known.
    init(size: Int?) {
        self.size = size
        isTerminal = isatty(STDERR_FILENO) == 1
        begin = clock.now
        last = begin
    }

    /// The time since the beginning.
    var seconds: Double { (clock.now - begin) / .seconds(1) }

    /// Shows the progress if there was none to see for a while.
    mutating func show(_ progress: BookImporter.Progress) {
        guard clock.now - last >= (isTerminal ? .milliseconds(100) : .seconds(2)) else { return }
        last = clock.now
        let share = size.flatMap { $0 > 0 ? min(1, Double(progress.bytesRead) / Double($0)) : nil }
        let percent = share.map { "\(Int($0 * 100)) %, " } ?? ""
        let counts = "\(percent)\(progress.imported) books, \(progress.refused) refused"
        guard isTerminal else {
            write(counts + "\n")
            return
        }
        isBarShown = true
        let filled = Int((share ?? 0) * Double(Self.width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        write("\r\u{1B}[K" + (share == nil ? "" : bar + " ") + counts)
    }

    /// Leaves the line of the bar.
    mutating func end() {
        if isBarShown { write("\r\u{1B}[K") }
        isBarShown = false
    }

    private func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
