/// Something that a check found in a store.
package struct StoreFinding: Encodable, Equatable, Sendable, CustomStringConvertible {
    /// The stable names of findings.
    package enum Code: String, Encodable, CaseIterable, Sendable {
        // What is broken.
        case damagedDatabase = "damaged-database"
        case damagedFile = "damaged-file"
        case unreadableMetadata = "unreadable-metadata"
        case unreadableModel = "unreadable-model"
        case modelMismatch = "model-mismatch"
        case missingTable = "missing-table"
        case entityNumbers = "entity-numbers"
        case highestKey = "highest-key"
        case invalidKey = "invalid-key"
        case unknownEntity = "unknown-entity"
        case unknownProperty = "unknown-property"
        case danglingReference = "dangling-reference"
        case wrongEntity = "wrong-entity"
        case inverseMismatch = "inverse-mismatch"
        case missingFile = "missing-file"
        case invalidValue = "invalid-value"
        case spatialIndex = "spatial-index"
        case historyTransaction = "history-transaction"
        case historyEntity = "history-entity"
        case historyString = "history-string"
        // What the format lets pass.
        case danglingLink = "dangling-link"
        case duplicateLink = "duplicate-link"
        case missingOrder = "missing-order"
        case duplicateOrder = "duplicate-order"
        case mandatoryValue = "mandatory-value"
        case unusedFile = "unused-file"
        case unsupportedFeature = "unsupported-feature"
        case foreignTrigger = "foreign-trigger"
        case noModel = "no-model"
    }

    package enum Severity: String, Encodable, Sendable {
        /// The store is broken: objects cannot be read, or saving may go wrong.
        case error
        /// The store works, but not all of it is as its model says.
        case warning
    }

    package let severity: Severity
    package let code: Code
    package var entity: String?
    package var property: String?
    /// How many rows or links are concerned.
    package var count: Int?
    /// Some of the objects.
    package var objects: [String]?
    package let message: String

    package init(
        _ severity: Severity, _ code: Code, entity: String? = nil, property: String? = nil,
        count: Int? = nil, objects: [String]? = nil, _ message: String
    ) {
        self.severity = severity
        self.code = code
        self.entity = entity
        self.property = property
        self.count = count
        self.objects = objects
        self.message = message
    }

    /// As a compiler's message: location, severity, sentence and name.
    package var description: String {
        var text = ""
        if let entity { text += property.map { "\(entity).\($0): " } ?? "\(entity): " }
        text += "\(severity.rawValue): \(message)"
        if let count {
            let more = count > (objects?.count ?? 0) ? ", …" : ""
            text += " (\(count): \(objects?.joined(separator: ", ") ?? "")\(more))"
        }
        return text + " [\(code.rawValue)]"
    }
}
