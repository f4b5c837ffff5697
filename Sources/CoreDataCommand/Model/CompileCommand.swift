import ArgumentParser
import Foundation
import ModelTools

/// `coredata model compile`.
struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract: "Compiles a model of Xcode, as Apple's compiler does.",
        discussion: """
            A folder .xcdatamodeld becomes a folder .momd with all versions, a folder .xcdatamodel a file .mom. What is \
            at the place of the output is replaced when everything has been written.

            EXAMPLES
              coredata model compile Library.xcdatamodeld               makes ./Library.momd
              coredata model compile Library.xcdatamodeld -o build/Library.momd
            """)

    @Argument(help: "A folder .xcdatamodeld or .xcdatamodel.", completion: .directory)
    var model: String

    @Option(name: [.short, .long], help: "Where the compiled model goes.", completion: .file())
    var output: String?

    func run() throws {
        let source = URL(fileURLWithPath: model)
        let name = source.deletingPathExtension().lastPathComponent
        let kind = source.pathExtension == "xcdatamodeld" ? "momd" : "mom"
        let target = URL(fileURLWithPath: output ?? "\(name).\(kind)")
        try CommandFailure.wrapping { try CompiledModelFolder.compile(source, to: target) }
        Output.standard.write(target.relativePath)
    }
}
