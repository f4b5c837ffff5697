import Foundation
import Logging
import Torture

/// Tries points of failure, and says which of them break the promise.
@main
struct TortureRunner {
    static func main() throws {
        guard let options = options(Array(CommandLine.arguments.dropFirst())) else {
            Campaign.say(
                """
                usage: torture [--points N] [--seconds S] [--seed N] [--scenario NAME]… [--calls CALL]
                               [--only SCENARIO:CALL:FAULT] [--part INDEX/COUNT] [--quiet]
                """)
            exit(64)
        }
        // What the library reports of thousands of failures is not the point.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        Campaign.say("torture: --seed \(options.seed)")
        let start = Date()
        let result = try Campaign(options).run()
        let seconds = Date().timeIntervalSince(start)
        Campaign.say(
            """
            torture: \(result.points) points in \(result.scenarios) scenarios, \(Int(seconds)) s; \
            \(result.failures.count) failures, \(result.missed) points whose call did not come
            """)
        exit(result.failures.isEmpty ? 0 : 1)
    }

    private static func options(_ arguments: [String]) -> Campaign.Options? {
        var options = Campaign.Options()
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--quiet" {
                options.isVerbose = false
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--points":
                guard let number = Int(value) else { return nil }
                options.points = number
            case "--seconds":
                guard let number = Double(value) else { return nil }
                options.seconds = number
            case "--seed":
                guard let number = UInt64(value) else { return nil }
                options.seed = number
            case "--scenario": options.scenarios.append(value)
            case "--calls": options.calls = value
            case "--only":
                guard let point = Point(value) else { return nil }
                options.only = point
            case "--part":
                let parts = value.split(separator: "/").compactMap { Int($0) }
                guard parts.count == 2, parts[1] > 0, (0..<parts[1]).contains(parts[0]) else { return nil }
                options.part = (parts[0], parts[1])
            default: return nil
            }
        }
        return options
    }
}
