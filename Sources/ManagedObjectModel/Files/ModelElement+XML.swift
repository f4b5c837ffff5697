import CocoaFoundation

extension ModelElement {
    /// The bounds of what is taken for a model; real ones stay far below.
    package enum Limit {
        /// Bytes of a file.
        package static let fileSize = 32 << 20
        /// Elements of a file.
        package static let elements = 250_000
        /// Elements within each other.
        package static let depth = 64
        /// Attributes of one element.
        package static let attributes = 256
    }

    /// Reads the XML text of a model.
    ///
    /// - Parameters:
    ///   - data: the text.
    ///   - allowsDocumentType: whether a document type may precede the root element, as in XML stores.
    ///     Nothing is read from where it points, and one that declares something is refused.
    /// - Throws: `ModelFileError` with the line.
    package init(xml data: Data, allowsDocumentType: Bool = false) throws {
        guard data.count <= Limit.fileSize else {
            throw ModelFileError(
                .tooLarge, "the file has \(data.count) bytes; at most \(Limit.fileSize) are read")
        }
        guard data.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) != nil else {
            throw ModelFileError(.malformed, "the text is not valid UTF-8")
        }
        var reader = ModelXMLReader(data, allowsDocumentType: allowsDocumentType)
        self = try reader.document()
    }
}
