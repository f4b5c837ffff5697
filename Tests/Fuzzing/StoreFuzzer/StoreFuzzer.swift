import Foundation
import FuzzerDriver

/// The fuzzer of stores, of queries to them and of imports into them. With `--seeds FOLDER` writes the
/// first inputs that are not texts.
@main
enum StoreFuzzer {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--seeds" {
            try StoreSeeds.write(to: URL(fileURLWithPath: arguments[2]))
            return
        }
        FuzzerDriver.run(Dumps.subjects + Stores.subjects)
    }
}
