import Foundation
import FuzzerDriver

/// The fuzzer of archives, models, predicates and CSV. With `--seeds FOLDER` writes the first inputs that are not texts.
@main
enum ParserFuzzer {
    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--seeds" {
            try Seeds.write(to: URL(fileURLWithPath: arguments[2]))
            return
        }
        FuzzerDriver.run(Archives.subjects + Models.subjects + Texts.subjects)
    }
}
