import ArgumentParser
import Foundation
import StoreTools

/// `coredata store diff`.
struct StoreDiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Lists objects that only one of two stores has, and objects whose values differ.",
        discussion: """
            Two objects are the same if they have the same entity and primary key; with --match constraint, if they have the \
            same values of their entity's first uniqueness constraint, where there is one and none of the values is null. \
            Only one end of each relationship is compared, since the other follows from it.

            EXAMPLES
              coredata store diff Before.sqlite After.sqlite
              coredata store diff --match constraint --json Mine.sqlite Theirs.sqlite

            Exits with 1 if there is a difference.
            """)

    @Argument(help: "The older store.", completion: .file())
    var old: String
    @Argument(help: "The newer store.", completion: .file())
    var new: String
    @OptionGroup var model: StoreModelInput
    @Option(help: "How objects are matched: key or constraint.")
    var match: StoreComparison.Matching = .key
    @Flag(help: "Print a JSON list of differences; see Documentation/CommandLine.md for its shape.")
    var json = false

    func run() throws {
        // A model belongs to the stores that it was opened with.
        let oldModel = try model.load()
        let newModel = try model.load()
        let isDifferent = try CommandFailure.wrapping {
            let oldStore = try OpenStore(URL(fileURLWithPath: old), model: oldModel)
            let newStore = try OpenStore(URL(fileURLWithPath: new), model: newModel)
            for (path, store) in [(old, oldStore), (new, newStore)] {
                for notice in store.notices { Output.error.write("warning: \(path): \(notice)") }
            }
            let comparison = StoreComparison(oldStore, newStore, matching: match)
            let bar = ProgressBar("objects", total: try comparison.count(), writesOutput: true)
            let output = Output.standard
            var isFirst = true
            if json { try output.write(piece: "[") }
            try comparison.forEachDifference(progress: bar.update) { difference in
                if json {
                    var text = JSONText()
                    text.value(difference.json)
                    try output.write(piece: (isFirst ? "\n" : ",\n") + text.text)
                } else {
                    for line in lines(difference, output) { try output.write(piece: line + "\n") }
                }
                isFirst = false
            }
            if json { try output.write(piece: "\n]\n") }
            return !isFirst
        }
        if isDifferent { throw ExitCode(1) }
    }

    private func lines(_ difference: StoreDifference, _ output: Output) -> [String] {
        switch difference {
        case .entity(let name, let isAdded): return [heading(isAdded, "entity \(name)", output)]
        case .property(let entity, let name, let isAdded):
            return [heading(isAdded, "property \(entity).\(name)", output)]
        case .added(let object, let values): return [heading(true, "\(object)", output)] + lines(values)
        case .removed(let object, let values): return [heading(false, "\(object)", output)] + lines(values)
        case .changed(let object, let new, let values):
            let name = object == new ? "\(object)" : "\(object) = \(new)"
            return [output.styled("~ \(name)", .yellow)]
                + values.map { "    \($0.property): \($0.old.shownText) -> \($0.new.shownText)" }
        }
    }

    private func heading(_ isAdded: Bool, _ text: String, _ output: Output) -> String {
        isAdded ? output.styled("+ \(text)", .green) : output.styled("- \(text)", .red)
    }

    private func lines(_ values: [String: JSONValue]) -> [String] {
        values.filter { $0.value != .null && $0.value != .array([]) }.sorted { $0.key < $1.key }
            .map { "    \($0.key): \($0.value.shownText)" }
    }
}

extension StoreComparison.Matching: ExpressibleByArgument {}
