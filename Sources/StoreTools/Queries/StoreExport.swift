import CoreData

/// The objects of an entity as a file of values for other programs.
package struct StoreExport {
    package enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values with a heading; lists have blanks between their elements.
        case csv
        /// An object of JSON a line.
        case jsonl
    }

    private let source: OpenStore
    private let format: Format

    package init(_ source: OpenStore, format: Format) {
        self.source = source
        self.format = format
    }

    /// The name of an entity's file.
    ///
    /// - Throws: an error for a name that no file can have.
    package func fileName(of entity: String) throws -> String {
        guard !entity.isEmpty, !entity.hasPrefix("."), !entity.contains(where: { "/\\:\0".contains($0) })
        else {
            throw StoreToolError("The entity '\(entity)' has a name that cannot be the name of a file.")
        }
        return "\(entity).\(format.rawValue)"
    }

    /// Writes the objects of an entity itself, its subentities left out.
    ///
    /// - Parameters:
    ///   - progress: gets the number of objects written so far.
    ///   - write: gets the text, piece by piece.
    /// - Returns: the values that could not be written, as their files are missing.
    /// - Throws: an error of the store, or what `write` throws; an error for a value that is not of its column's type.
    @discardableResult
    package func write(
        _ entity: String, progress: (Int) -> Void = { _ in }, to write: (String) throws -> Void
    ) throws -> MissingFiles {
        var missingFiles = MissingFiles()
        let listing = try StoreListing(source, entities: [entity])
        if format == .csv {
            try write(CSVText.line([ObjectValues.objectID] + (try listing.fields(of: entity))))
        }
        try listing.forEachObject(progress: progress) { reference, fields, values in
            missingFiles.note(values)
            switch format {
            case .csv:
                try write(CSVText.line(["\(reference)"] + fields.map { values[$0]?.field }))
            case .jsonl: try write(StoreDump.line(reference, fields, values) + "\n")
            }
        }
        return missingFiles
    }
}

extension JSONValue {
    /// The value as text; empty for null.
    package var plainText: String {
        switch self {
        case .null: return ""
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let text), .string(let text): return text
        case .array(let elements): return elements.map(\.plainText).joined(separator: " ")
        case .object:
            var json = JSONText()
            json.value(self)
            return json.text
        }
    }

    /// The value as a field of comma-separated values; nil for null.
    package var field: String? { self == .null || self == .array([]) ? nil : plainText }
}
