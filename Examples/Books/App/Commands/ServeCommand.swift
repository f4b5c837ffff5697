import ArgumentParser

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Shows the books in a web page on this computer.")

    @OptionGroup var storeOptions: StoreOptions
    @Option(help: "The port of the page.")
    var port = 8080
}
