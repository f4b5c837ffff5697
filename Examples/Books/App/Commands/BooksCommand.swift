import ArgumentParser

/// The command `books`.
public struct BooksCommand: AsyncParsableCommand {
    /// What `books` does, for its help.
    public static let configuration = CommandConfiguration(
        commandName: "books",
        abstract: "Keeps books: a sample of Core Data with every kind of attribute.",
        subcommands: [ServeCommand.self, ImportCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// Made by the parser of arguments.
    public init() {}
}

/// Where the store is.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of the store.",
            discussion: "By default Books.sqlite in the folder books of the user's data folder.",
            valueName: "path"))
    var store: String?
}
