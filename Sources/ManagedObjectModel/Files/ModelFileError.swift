import CocoaFoundation

/// The reason for which a model file could not be read or written, with its position.
///
/// ```swift
/// do {
///     let model = try NSManagedObjectModel(loading: url)
/// } catch let error as ModelFileError {
///     print(error)    // Books.xcdatamodel/contents:12: Book.author: …
/// }
/// ```
///
/// `reason` is for code; `file`, `line` and `element` are the position, as far as it is known; `detail` is a sentence for people. The
/// first error ends reading. Initializers that Apple declares return nil instead. A model that can be read but contradicts itself is a
/// `ModelConsistencyError` when a store is added.
public struct ModelFileError: Error, LocalizedError, CustomStringConvertible, Sendable, Equatable {
    /// The kinds of reasons for which a model file is not read or written. Further kinds may be added: give a `switch` over them a
    /// `default`.
    public enum Reason: Sendable, Equatable {
        /// The file does not exist or cannot be opened.
        case unreadable
        /// The file, or what it describes, is larger than any real model.
        case tooLarge
        /// The file has a form that is not read, or something in it that is not known.
        case unsupportedForm
        /// The file is not well-formed XML, or not a model.
        case malformed
        /// A setting has a value that it cannot have.
        case invalidValue
        /// A setting that is needed is missing.
        case missingValue
        /// Two things of one kind have the same name.
        case duplicateName
        /// Something refers to an entity or property that is not there.
        case unknownName
        /// An entity inherits from itself, or a composite attribute contains itself.
        case cycle
        /// The model has a setting that model files cannot hold, so that it cannot be written.
        case inexpressible
        /// The file or folder cannot be written.
        case unwritable
    }

    /// The kind of reason.
    public let reason: Reason
    /// The file or folder, if there is one.
    public internal(set) var file: URL?
    /// The line of the element in the file, counted from 1.
    public let line: Int?
    /// The entity, or entity and property, in the form `Book.title`.
    public let element: String?
    /// A sentence about the reason, without the position.
    public let detail: String

    package init(
        _ reason: Reason, _ detail: String, element: String? = nil, line: Int? = nil, file: URL? = nil
    ) {
        self.reason = reason
        self.detail = Self.clipped(detail, to: Self.longestDetail)
        self.element = element.map { Self.clipped($0, to: Self.longestName) }
        self.line = line
        self.file = file
    }

    // What a file quotes in an error may be as long as the file.
    private static let longestDetail = 600
    private static let longestName = 200

    /// A string without its middle, if it is longer than a number of bytes.
    private static func clipped(_ text: String, to length: Int) -> String {
        guard text.utf8.count > length else { return text }
        // By scalars: a character may have any number of them.
        let scalars = text.unicodeScalars
        let half = length / 8
        return String(scalars.prefix(2 * half)) + " … " + String(scalars.suffix(half))
    }

    /// The position and the reason in one sentence.
    public var description: String {
        var location = file?.path ?? "model"
        if let line { location += ":\(line)" }
        return [location, element, detail].compactMap { $0 }.joined(separator: ": ")
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}

extension ModelFileError {
    /// The same error, of a file.
    package func inFile(_ url: URL) -> ModelFileError {
        var error = self
        error.file = url
        return error
    }
}
