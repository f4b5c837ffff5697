import CoreDataSQL
import CoreData

/// All of a store as JSON: an object with `format`, `version`, `model`, `metadata` and `entities`, a line for each object.
///
/// `model` is the archive of the model, in deflate and base64, so that the text is all that is needed to make the store
/// again; a store whose model is not known has none. `entities` is a list of `name` and `objects`; see `ObjectValues`
/// for these. Nothing of the text is kept in memory.
package struct StoreDump {
    package static let format = "coredata-dump"
    package static let version = 1

    private let source: OpenStore
    private let entities: [SQLEntity]
    /// Whether all entities are written.
    private let isWhole: Bool

    /// - Parameters:
    ///   - source: a store.
    ///   - names: the entities to write; nil for all.
    /// - Throws: an error for a name that no entity has.
    package init(_ source: OpenStore, entities names: [String]? = nil) throws {
        self.source = source
        isWhole = names == nil
        entities = try names?.map(source.entity(named:)) ?? source.entities
    }

    /// How many objects there are to write.
    ///
    /// - Throws: an error of the store.
    package func count() throws -> Int { try source.count(entities) }

    /// Writes the text.
    ///
    /// - Parameters:
    ///   - progress: gets the number of objects written so far.
    ///   - write: gets the text, piece by piece.
    /// - Returns: what could not be written as it is, each as a sentence.
    /// - Throws: an error of the store, or what `write` throws; an error for a value that is not of its column's type,
    ///   which cannot be written.
    package func write(
        progress: (Int) -> Void = { _ in }, to write: (String) throws -> Void
    ) throws -> [String] {
        var missingFiles = MissingFiles()
        var count = 0
        try write(try header())
        try source.store.withContents { contents in
            let values = ObjectValues(contents.snapshot, isBrief: true)
            var separator = "\n"
            for entity in entities {
                var name = JSONText()
                name.string(entity.name)
                try write("\(separator){\"name\":\(name.text),\"objects\":[")
                try contents.requireNoMistypedValues(of: entity)
                let fields = values.fields(of: entity)
                let names = fields.map(\.name)
                var objectSeparator = "\n"
                try contents.snapshot.forEachBatch(of: entity) { rows in
                    var text = ""
                    try values.forEach(rows, of: entity, fields) { row, object in
                        text += objectSeparator
                        objectSeparator = ",\n"
                        text += Self.line(values.reference(row, entity), names, object)
                        missingFiles.note(object)
                        if text.utf8.count > 1 << 20 {
                            try write(text)
                            text = ""
                        }
                    }
                    try write(text)
                    count += rows.count
                    progress(count)
                }
                try write("]}")
                separator = ",\n"
            }
            try write("]}\n")
        }
        return try [missingFiles.notice].compactMap { $0 } + (isWhole ? UndumpedTables(source).notices() : [])
    }

    private func header() throws -> String {
        var json = JSONText()
        json.begin("{")
        json.key("format")
        json.string(Self.format)
        json.key("version")
        json.integer(Int64(Self.version))
        // One that was made from tables or objects is not the store's.
        if let reconstruction = source.reconstruction {
            json.key("isModelReconstructed")
            json.bool(true)
            json.key("reconstructedFrom")
            json.string(reconstruction.rawValue)
        } else {
            json.key("model")
            json.string(try source.modelArchive().base64EncodedString())
        }
        json.key("metadata")
        json.begin("{")
        for (key, value) in try StoreMetadata(source.url).applicationValues() {
            json.key(key)
            json.value(value)
        }
        json.end("}")
        json.key("entities")
        json.begin("[")
        return json.text
    }

    /// An object as JSON in one line.
    package static func line(
        _ reference: ObjectReference, _ fields: [String], _ values: [String: JSONValue]
    ) -> String {
        var json = JSONText()
        json.begin("{")
        json.key(ObjectValues.objectID)
        json.string("\(reference)")
        for field in fields {
            json.key(field)
            json.value(values[field] ?? .null)
        }
        json.end("}")
        return json.text
    }
}

extension JSONValue {
    /// Whether it stands for external data whose file is gone.
    package var isMissingFile: Bool {
        if case .object(let members) = self { return members[ObjectValues.missingFile] != nil }
        return false
    }
}
