/// A Swift source as it was written for Apple's platforms.
package struct PortSource: Sendable {
    /// The path that messages of the porter and of the compiler show.
    package let name: String
    /// The text in UTF-8.
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    package init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }
}

/// What has become of a source.
package struct PortedSource: Sendable {
    /// The name of the source.
    package let name: String
    /// The text for platforms without an Objective-C runtime; nil when the source has errors.
    package let text: String?
    /// In the order of their positions.
    package let diagnostics: [PortDiagnostic]
}
