import ArgumentParser
import Foundation
import StoreTools

/// `coredata store schema`.
struct StoreSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Lists the tables of a store, and the property of each column.",
        discussion: """
            XML and binary stores have no tables: for those, the entities of the model are listed.

            EXAMPLES
              coredata store schema Library.sqlite
              coredata store schema --sql Library.sqlite            the statements that made it; takes no model
              coredata store schema --json --model Old.mom Old.sqlite
            """)

    @OptionGroup var input: StoreInput
    @Flag(help: "Print the statements that made the tables, indexes and triggers.")
    var sql = false
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false

    func validate() throws {
        if json, sql { throw ValidationError("--json and --sql exclude each other.") }
    }

    func run() throws {
        let output = Output.standard
        if sql {
            let statements = try CommandFailure.wrapping { try StoreSchemaReport.statements(of: input.url) }
            for statement in statements { output.write("\(statement);") }
            return
        }
        let source = try input.open()
        let report = try CommandFailure.wrapping { try StoreSchemaReport(source) }
        if json { return try output.write(json: report) }
        if let entities = report.entities {
            Output.error.write(
                "\(source.type.description) has no SQL schema; these are the entities of the model.")
            return write(entities, output)
        }
        for (index, table) in report.tables.enumerated() {
            if index > 0 { output.write("") }
            let entities = table.entities.map { "\($0.name) \($0.number)" }.joined(separator: ", ")
            output.write(output.styled(table.name, .bold) + (entities.isEmpty ? "" : "  (\(entities))"))
            let width = table.columns.map(\.name.count).max() ?? 0
            let typeWidth = table.columns.map(\.type.count).max() ?? 0
            for column in table.columns {
                let name = column.name.padding(toLength: width, withPad: " ", startingAt: 0)
                let type = column.type.padding(toLength: typeWidth, withPad: " ", startingAt: 0)
                output.write(
                    "  \(name)  \(column.properties.isEmpty ? column.type : "\(type)  \(column.properties.joined(separator: ", "))")"
                )
            }
            for name in table.indexes { output.write("  \(output.styled("index", .cyan)) \(name)") }
            for name in table.triggers { output.write("  \(output.styled("trigger", .cyan)) \(name)") }
        }
    }

    private func write(_ entities: [StoreSchemaReport.ModelEntity], _ output: Output) {
        for (index, entity) in entities.enumerated() {
            if index > 0 { output.write("") }
            output.write(
                output.styled(entity.name, .bold) + (entity.parent.map { "  (\($0))" } ?? ""))
            let width = entity.properties.map(\.name.count).max() ?? 0
            for property in entity.properties {
                let name = property.name.padding(toLength: width, withPad: " ", startingAt: 0)
                output.write("  \(name)  \(property.type)")
            }
        }
    }
}
