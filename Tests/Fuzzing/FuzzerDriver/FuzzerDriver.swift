import CLibFuzzer
import Foundation

/// The program of fuzzers: chooses what is read, and lets libFuzzer try inputs.
package enum FuzzerDriver {
    /// The environment variable with the name of the subject. Not an argument: libFuzzer starts the program anew with
    /// its own arguments, for example to find the smallest input of a finding.
    package static let variable = "FUZZ_SUBJECT"

    /// The most memory that the program may use while it reads, in megabytes.
    private static let maxMemory = 4096

    /// Set once, before the first input is tried.
    nonisolated(unsafe) private static var subject = FuzzedSubject("") { _ in }

    /// Where inputs that take long are kept, when that is wanted.
    nonisolated(unsafe) private static var slowest = SlowestInput()

    /// Runs the program; its arguments are those of libFuzzer. Without a subject, prints the names of all.
    package static func run(_ subjects: [FuzzedSubject]) -> Never {
        let arguments = CommandLine.arguments
        guard let name = ProcessInfo.processInfo.environment[variable] else {
            print(subjects.map(\.name).joined(separator: "\n"))
            exit(0)
        }
        guard let chosen = subjects.first(where: { $0.name == name }) else {
            print("There is no subject named '\(name)'.")
            exit(64)
        }
        subject = chosen
        // What is given counts, as it comes later. Leaks are looked for by other means: what is cached for good is none.
        let limits = [
            "-max_len=\(chosen.longestInput)", "-timeout=\(chosen.seconds)", "-rss_limit_mb=\(maxMemory)",
            "-detect_leaks=0",
        ]
        var texts = (arguments.prefix(1) + limits + arguments.dropFirst()).map { strdup($0) }
        var count = CInt(texts.count)
        texts.append(nil)
        let state = texts.withUnsafeMutableBufferPointer { texts in
            var start = texts.baseAddress
            return LLVMFuzzerRunDriver(&count, &start) { bytes, length in
                FuzzerDriver.read(bytes, length)
                return 0
            }
        }
        exit(state)
    }

    private static func read(_ bytes: UnsafePointer<UInt8>?, _ length: Int) {
        // A copy, whose end is the end of its memory: what is read beyond it is seen.
        let input = bytes.map { Data(bytes: $0, count: length) } ?? Data()
        let start = clock()
        do {
            try subject.read(input)
        } catch {
            // What an error says may have been made from the input too.
            _ = "\(error)"
        }
        slowest?.see(input, milliseconds: Int((clock() - start) * 1000 / clock_t(CLOCKS_PER_SEC)))
    }
}
