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

    /// Writes the file, unless one with the same bytes is there: then nothing that was made of it is made again.
    ///
    /// - Returns: whether it was written.
    /// - Throws: the file system's error.
    @discardableResult
    package func write(to url: URL) throws -> Bool {
        let data = Data(text.utf8)
        if let present = try? Data(contentsOf: url), present == data { return false }
        try data.write(to: url, options: .atomic)
        return true
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
