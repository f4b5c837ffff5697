import ArgumentParser
import Foundation
import StoreTools

/// `coredata store query`.
struct StoreQueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Finds objects of an entity and its subentities.",
        discussion: """
            The predicate is a format string of NSPredicate. Without --json or --csv a table is printed, whose columns \
            are cut where they are too wide.

            EXAMPLES
              coredata store query Library.sqlite Book
              coredata store query Library.sqlite Book "author.name BEGINSWITH 'A' AND pages > 100" --sort pages:desc
              coredata store query Library.sqlite Book --columns title,author --limit 10 --csv
              coredata store query Library.sqlite Author "name LIKE[c] 'le *'" --count
            """)

    @OptionGroup var input: StoreInput
    @Argument(help: "The name of an entity.")
    var entity: String
    @Argument(help: "A predicate; without it all objects are found.")
    var predicate: String?
    @Option(help: "Key paths to sort by, with commas between them; key:desc sorts in descending order.")
    var sort: String?
    @Option(help: "The greatest number of objects.")
    var limit: Int?
    @Option(
        help:
            "The properties to print, with commas between them; without it all but, in tables, to-many relationships."
    )
    var columns: String?
    @Flag(help: "Print the number of objects only.")
    var count = false
    @Flag(help: "Print a JSON list of objects; see Documentation/CommandLine.md for its shape.")
    var json = false
    @Flag(help: "Print comma-separated values.")
    var csv = false

    func validate() throws {
        if json, csv { throw ValidationError("--json and --csv exclude each other.") }
        if csv, count { throw ValidationError("--csv and --count exclude each other.") }
        if let limit, limit < 1 { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() throws {
        let source = try input.open()
        try CommandFailure.wrapping {
            let query = try StoreQuery(
                source, entity: entity, predicate: predicate, sorting: names(sort) ?? [],
                properties: names(columns))
            if count {
                let number = try query.count(limit: limit)
                return Output.standard.write("\(number)")
            }
            var missingFiles = MissingFiles()
            func forEachBatch(_ body: ([StoreQuery.Match]) throws -> Void) throws {
                try query.forEachBatch(limit: limit) { matches in
                    for match in matches { missingFiles.note(match.values) }
                    try body(matches)
                }
            }
            if json {
                try writeJSON(query, forEachBatch)
            } else if csv {
                try writeCSV(query, forEachBatch)
            } else {
                try writeTable(query, forEachBatch)
            }
            if let notice = missingFiles.notice { Output.error.write("warning: \(notice)") }
        }
    }

    /// Hands out the objects that are found.
    private typealias Batches = (([StoreQuery.Match]) throws -> Void) throws -> Void

    private func names(_ list: String?) -> [String]? {
        list?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private func writeJSON(_ query: StoreQuery, _ forEachBatch: Batches) throws {
        let output = Output.standard
        var separator = "\n"
        try output.write(piece: "[")
        try forEachBatch { matches in
            var text = ""
            for match in matches {
                text += separator + StoreDump.line(match.reference, query.fields, match.values)
                separator = ",\n"
            }
            try output.write(piece: text)
        }
        try output.write(piece: "\n]\n")
    }

    private func writeCSV(_ query: StoreQuery, _ forEachBatch: Batches) throws {
        try Output.standard.write(piece: CSVText.line([ObjectValues.objectID] + query.fields))
        try forEachBatch { matches in
            let lines = matches.map { match in
                CSVText.line(
                    ["\(match.reference)"]
                        + query.fields.map { match.values[$0]?.field })
            }
            try Output.standard.write(piece: lines.joined())
        }
    }

    private func writeTable(_ query: StoreQuery, _ forEachBatch: Batches) throws {
        let fields = columns == nil ? query.fields.filter { !query.isList($0) } : query.fields
        var table = TextTable([ObjectValues.objectID] + fields)
        var isEmpty = true
        try forEachBatch { matches in
            isEmpty = false
            let rows = matches.map { match in
                ["\(match.reference)"] + fields.map { match.values[$0]?.plainText ?? "" }
            }
            for line in table.lines(rows, in: .standard) { try Output.standard.write(piece: line + "\n") }
        }
        if isEmpty { Output.error.write("no objects") }
    }
}
