import ArgumentParser
import Foundation
import StoreTools

/// `coredata store search`.
struct StoreSearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Finds objects of all entities by words of their texts.",
        discussion: """
            Searched are the attributes with "Index in Spotlight" in the model, and display names; with --all-attributes all \
            strings, URIs and UUIDs. Case and accents do not count: uber finds Über. The best objects of each entity come first, \
            each with a part of its text, where the words are bold on a terminal, and in brackets elsewhere.

            The store is indexed first where there is no index beside it. The index beside it is made and used only if the store has \
            persistent history and can be written to, and without --all-attributes; otherwise it is a temporary one, which goes with the \
            command. The objects of the store do not change.

            Words that begin with a hyphen come after --.

            EXAMPLES
              coredata store search Library.sqlite "schloss -park"
              coredata store search Library.sqlite '"war and pe"*' --entity Book --limit 5
              coredata store search --all-attributes --json Photos.sqlite sunset
            """)

    @OptionGroup var input: StoreInput
    @Argument(help: "Words, \"phrases\", beginnings with *, OR, NOT or -. Any text is valid.")
    var words: String
    @Option(help: "Find objects of this entity and its subentities only.")
    var entity: String?
    @Option(help: "The greatest number of objects of each entity.")
    var limit = 20
    @Flag(help: "Search all strings, URIs and UUIDs, whether they have \"Index in Spotlight\" or not.")
    var allAttributes = false
    @Flag(help: "Print JSON; see Documentation/CommandLine.md for its shape.")
    var json = false

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() throws {
        let model = try input.model.load()
        let found = try CommandFailure.wrapping {
            let search = try StoreTextSearch(
                input.url, model: model, attributes: allAttributes ? .all : .indexed, keepsIndex: true)
            for notice in search.notices { Output.error.write("warning: \(notice)") }
            guard search.isPossible else { throw CommandFailure(Self.nothingIndexed(allAttributes)) }
            let found = try find(search)
            try search.close()
            return found
        }
        let output = Output.standard
        if json { return try output.write(json: found) }
        guard found.count > 0 else { return Output.error.write("no objects") }
        for (index, group) in found.entities.enumerated() {
            if index > 0 { output.write("") }
            write(group, to: output)
        }
    }

    private func find(_ search: StoreTextSearch) throws -> FoundObjects {
        var request = StoreTextSearch.Request(words)
        request.entity = entity
        request.limit = limit
        var bar: ProgressBar?
        let state = try search.context.performAndWait {
            try search.find(request) { done, total in
                let shown = bar ?? ProgressBar("indexed", total: total)
                bar = shown
                shown.update(done)
                return true
            }
        }
        bar?.hide()
        guard case .found(let found) = state else {
            throw CommandFailure("The store at \(input.url.path) could not be indexed.")
        }
        return found
    }

    private static func nothingIndexed(_ allAttributes: Bool) -> String {
        guard !allAttributes else { return "No entity of the model has an attribute with text." }
        return """
            No attribute of the model has "Index in Spotlight", and no entity a display name expression of stored attributes. \
            Check that box in Xcode or `coredata edit`, or set isIndexedBySpotlight in code, and give the model with --model; or \
            search all strings with --all-attributes.
            """
    }

    // MARK: Text

    private func write(_ group: FoundObjects.Group, to output: Output) {
        var facts = "\(group.count) object\(group.count == 1 ? "" : "s")"
        if group.objects.count < group.count { facts += ", \(group.objects.count) of them here" }
        if !group.isRanked { facts += ", by key" }
        output.write("\(output.styled(Self.line(group.name), .bold))  \(output.styled(facts, .faint))")
        let width = group.objects.map(\.objectID.count).max() ?? 0
        for hit in group.objects {
            let padding = String(repeating: " ", count: width - hit.objectID.count)
            let rank = hit.rank.map { String(format: "  %6.2f", $0) } ?? ""
            let attribute = output.styled(Self.line(hit.attribute ?? "display name") + ":", .faint)
            let snippet = hit.snippet.map { piece in
                let text = Self.line(piece.text)
                guard piece.isHighlighted else { return text }
                return output.hasColors ? output.styled(text, .bold) : "[\(text)]"
            }
            let tail = snippet.isEmpty ? "" : " " + snippet.joined()
            output.write("  \(Self.line(hit.objectID))\(padding)\(rank)  \(attribute)\(tail)")
        }
    }

    /// One line without control characters, which a terminal might obey.
    private static func line(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
