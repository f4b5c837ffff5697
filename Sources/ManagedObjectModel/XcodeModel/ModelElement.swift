import CocoaFoundation

/// An element of a model file as it stands there, before anyone asks what it means.
///
/// The tree keeps every element and attribute, known or not, and the order of the elements. The order of the
/// attributes of one element is not kept, because the XML parser does not tell it; Xcode writes them in a
/// fixed order, which a writer can restore.
package struct ModelElement: Equatable, Sendable {
    package var name: String
    package var attributes: [String: String]
    package var children: [ModelElement]
    /// Text between the children other than white space. The files of Xcode have none.
    package var text: String
    /// The line at which the start tag ends, counted from 1; `nil` for an element that was not read from a
    /// file.
    package var line: Int?

    package init(
        _ name: String, attributes: [String: String] = [:], children: [ModelElement] = [], text: String = "",
        line: Int? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
        self.line = line
    }

    /// The value of an attribute.
    package subscript(attribute: String) -> String? { attributes[attribute] }

    /// The children of a name, in their order.
    package func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }

    /// Whether the other element has the same name, attributes, text and children. Lines are not compared.
    package static func == (a: ModelElement, b: ModelElement) -> Bool {
        a.name == b.name && a.attributes == b.attributes && a.text == b.text && a.children == b.children
    }
}
