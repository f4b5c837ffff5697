import ArgumentParser
import CoreData

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds the books of a CSV file.",
        discussion: """
            The first line names the columns, in any order: title, and any of author, date, price and url. A date is \
            YYYY, YYYY-MM or YYYY-MM-DD, a price a number such as 12.99. Lines that are not books are refused and \
            reported; the others are added.
            """)

    @Argument(help: ArgumentHelp("The file; - reads standard input.", valueName: "file.csv"))
    var file: String
    @OptionGroup var storeOptions: StoreOptions
    @Option(help: ArgumentHelp("Writes all refused lines to a file.", valueName: "file"))
    var report: String?

    func run() async throws {
        let input = try ImportInput(path: file)
        let container = try BooksContainer.load(file: storeOptions.store.map { URL(fileURLWithPath: $0) })
        var report = try ImportReport(path: self.report)
        var display = ProgressDisplay(size: input.size)
        let summary: BookImporter.Progress?
        do {
            summary = try BookImporter(container: container).run(
                CSVReader(input.next), refuse: { try report.add($0) }, report: { display.show($0) })
        } catch {
            display.end()
            throw error
        }
        display.end()
        try report.close()
        guard let summary else {
            throw TextProblem("\(input.name) is empty.")
        }
        print(report.text(summary, seconds: display.seconds), terminator: "")
        if summary.imported == 0, summary.refused > 0 { throw ExitCode.failure }
    }
}

extension TextProblem: CustomStringConvertible {
    var description: String { sentence }
}
