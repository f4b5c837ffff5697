// What CoreDataModelPlugin runs in a build.
//
//     CoreDataModelGenerator model <model> --module <module> --classes <file> --embedding <file>
//     CoreDataModelGenerator names <file>
//
// Messages have the form `file:line: error: text`, which build systems show.

import Foundation

do {
    try GeneratorCommand(Array(CommandLine.arguments.dropFirst())).run()
} catch {
    FileHandle.standardError.write(Data("\(GeneratorCommand.message(for: error))\n".utf8))
    exit(1)
}
