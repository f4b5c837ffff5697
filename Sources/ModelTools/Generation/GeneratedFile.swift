import ManagedObjectModel

/// A file of generated source text.
package struct GeneratedFile: Sendable, Equatable {
    /// The name, such as `Book+CoreDataProperties.swift`.
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// What has become of a file that was to be written.
    package enum Outcome: Sendable {
        case written
        /// A file with the same bytes was there.
        case unchanged
        /// A file with other bytes was there, and not to be replaced.
        case kept
    }

    /// Whether the file is the start of one that is written on by hand: a class without its properties.
    package var isForEditing: Bool { name.hasSuffix(Self.classSuffix) }

    static let classSuffix = "+CoreDataClass.swift"

    /// Writes the file, unless one with the same bytes is there: then nothing that was made of it is made again.
    ///
    /// - Parameter replacing: whether a file with other bytes is replaced.
    /// - Throws: the file system's error.
    @discardableResult
    package func write(to url: URL, replacing: Bool = true) throws -> Outcome {
        let data = Data(text.utf8)
        if FileManager.default.fileExists(atPath: url.path) {
            if let present = try? Data(contentsOf: url), present == data { return .unchanged }
            if !replacing { return .kept }
        }
        try data.write(to: url, options: .atomic)
        return .written
    }
}

/// What cannot be generated.
package struct GenerationError: Error, LocalizedError, CustomStringConvertible, Sendable, Equatable {
    /// The entity, or entity and property, in the form `Book.title`.
    package let element: String
    /// A sentence about the reason.
    package let detail: String

    package var description: String { "\(element): \(detail)" }
    package var errorDescription: String? { description }
}

/// Something of the model that is left out of the generated text, and why.
package struct GenerationNotice: Sendable, Equatable, CustomStringConvertible {
    /// The entity and property, in the form `Book.description`, or the version of the model.
    package let element: String
    /// A sentence about the reason and what to do.
    package let detail: String

    package var description: String { "\(element): \(detail)" }
}
