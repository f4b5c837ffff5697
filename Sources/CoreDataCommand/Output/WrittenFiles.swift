/// What a command has written, as it says it: a path on each line, or as JSON.
struct WrittenFiles: Encodable {
    /// The paths of the files and folders that are new or have changed.
    var written: [String] = []
    /// Those that would have been written as they are.
    var unchanged: [String]?
    /// Those of another content, which may have been written by hand.
    var kept: [String]?
    /// What was left out, and why.
    var warnings: [String]?

    func write(asJSON isJSON: Bool) throws {
        guard !isJSON else { return try Output.standard.write(json: self) }
        for warning in warnings ?? [] { Output.error.write("warning: \(warning)") }
        for path in kept ?? [] {
            Output.error.write(
                "warning: \(path) was changed by hand and is left as it is; --force replaces it")
        }
        for path in written { Output.standard.write(path) }
    }
}
