import ArgumentParser
import ModelTools

/// `coredata model hash`.
struct HashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash",
        abstract: "Prints the version hash of every entity, as Apple's framework computes it.",
        discussion: """
            EXAMPLES
              coredata model hash Library.xcdatamodeld
              coredata model hash --json Library.momd        {"Book": "6b31f4e9…", …}
              coredata model hash --checksum Library.mom     the checksum of the whole model, in base64
            """)

    @OptionGroup var input: ModelInput
    @Flag(help: "Print a JSON object: the name of each entity with its hash in hexadecimal digits.")
    var json = false
    @Flag(help: "Print only the checksum of the model, as VersionInfo.plist and stores hold it.")
    var checksum = false

    func validate() throws {
        if json, checksum { throw ValidationError("--json and --checksum exclude each other.") }
    }

    func run() throws {
        let model = try input.load()
        if checksum { return Output.standard.write(model.versionChecksum) }
        let hashes = model.entityVersionHashesByName.mapValues(\.hexadecimal)
        if json { return try Output.standard.write(json: hashes) }
        for (name, hash) in hashes.sorted(by: { $0.key.utf8Precedes($1.key) }) {
            Output.standard.write("\(hash)  \(name)")
        }
    }
}
