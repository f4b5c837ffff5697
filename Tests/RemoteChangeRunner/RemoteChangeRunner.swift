import Foundation
import RemoteChangeWriter

/// Another process that writes to a store, as its input says.
@main
struct RemoteChangeRunner {
    static func main() throws { try RemoteChangeWriter.run(Array(CommandLine.arguments.dropFirst())) }
}
