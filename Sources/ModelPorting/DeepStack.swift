import Foundation

/// Runs work that calls itself often on a thread with a large stack.
///
/// The parser of Swift's syntax limits how deep brackets nest, and nothing else: `try try try …` and
/// `if … else if … else if …` call it again for each word. The stack is as large as the words of a source can make it
/// necessary; memory is used only for what is really reached.
enum DeepStack {
    /// The most calls that there is a stack for: of one GiB, of which real sources use next to nothing.
    static let maxCalls = 40_000
    /// What one call takes in a build without optimization, twice.
    private static let perCall = 24 << 10
    /// For what nests without such words, within the limits of the parser and of `ParsedSource`.
    private static let usual = 64 << 20

    /// The words that may call the parser again, as it reads on.
    private static let recursiveWords: Set<String> = [
        "any", "await", "borrow", "catch", "consume", "copy", "defer", "discard", "do", "each", "else", "for",
        "guard",
        "if", "in", "inout", "is", "let", "nonisolated", "repeat", "return", "sending", "some", "switch",
        "throw", "try",
        "unsafe", "var", "while", "yield",
    ]

    /// How often a source may make the parser call itself, at most. Words in comments and strings count too.
    static func calls(for bytes: [UInt8]) -> Int {
        var calls = 0
        var word: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                word.append(byte)
                continue
            case UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"): calls += 1
            default: break
            }
            if !word.isEmpty {
                if word.count <= 11, recursiveWords.contains(String(decoding: word, as: UTF8.self)) {
                    calls += 1
                }
                word.removeAll(keepingCapacity: true)
            }
        }
        return calls
    }

    /// Runs a block and returns when it has ended, or when it has taken too long.
    ///
    /// - Parameters:
    ///   - calls: how often the work may call itself; not more than `maxCalls`.
    ///   - deadline: when the work is abandoned; the thread goes on with it, because nothing can stop it.
    /// - Returns: what the block gives; nil when it was abandoned.
    static func run<Value>(
        calls: Int = 0, until deadline: DispatchTime = .distantFuture, _ body: @escaping () -> Value
    ) -> Value? {
        guard deadline > .now() else { return nil }
        nonisolated(unsafe) var value: Value?
        nonisolated(unsafe) let work = body
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            value = work()
            done.signal()
        }
        thread.stackSize = min(calls, maxCalls) * perCall + usual
        thread.start()
        return done.wait(timeout: deadline) == .success ? value : nil
    }
}
