import CocoaFoundation

/// An element of a model file as it is there, before its meaning is read.
///
/// The tree keeps every element and attribute, known or not, in the order of the file. Comments and the white
/// space between elements are not kept; the files of Xcode have none of the former and no meaning in the
/// latter.
package struct ModelElement: Sendable {
    /// A name with its value. Both are compared byte by byte: of two characters that Unicode holds for equal a file
    /// has one.
    package struct Attribute: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        package static func == (a: Attribute, b: Attribute) -> Bool {
            a.name.utf8Equals(b.name) && a.value.utf8Equals(b.value)
        }
    }

    package var name: String
    package var attributes: [Attribute]
    package var children: [ModelElement]
    /// Text between the children other than white space. The files of Xcode have none.
    package var text: String
    /// The line at which the element begins, counted from 1; `nil` for one that was not read from a file.
    package var line: Int?

    package init(
        _ name: String, attributes: [Attribute] = [], children: [ModelElement] = [], text: String = "",
        line: Int? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
        self.line = line
    }

    /// The value of an attribute. A new attribute goes after the others; `nil` removes one.
    package subscript(attribute: String) -> String? {
        get { attributes.first { $0.name.utf8Equals(attribute) }?.value }
        set {
            let index = attributes.firstIndex { $0.name.utf8Equals(attribute) }
            switch (index, newValue) {
            case (let index?, let value?): attributes[index].value = value
            case (let index?, nil): attributes.remove(at: index)
            case (nil, let value?): attributes.append(Attribute(attribute, value))
            case (nil, nil): break
            }
        }
    }

    /// The children of a name, in their order.
    package func children(named name: String) -> [ModelElement] {
        children.filter { $0.name.utf8Equals(name) }
    }
}

extension ModelElement {
    /// Hashes the name, the attributes in any order, and the names of the children. Elements that are equal have the
    /// same hash.
    func hashAttributes(into hasher: inout Hasher) {
        hasher.combine(name)
        for child in children { hasher.combine(child.name) }
        for attribute in attributes.sorted(by: { $0.name.utf8Precedes($1.name) }) {
            hasher.combine(attribute.name)
            hasher.combine(attribute.value)
        }
    }
}

extension ModelElement: Equatable {
    /// Whether the other element means the same: name, attributes in any order, text and children in their
    /// order.
    package static func == (a: ModelElement, b: ModelElement) -> Bool {
        a.name.utf8Equals(b.name) && a.text.utf8Equals(b.text) && a.children == b.children
            && a.attributes.sorted(by: { $0.name.utf8Precedes($1.name) })
                == b.attributes.sorted(by: { $0.name.utf8Precedes($1.name) })
    }
}

extension String {
    /// Whether both have the same bytes. `==` also holds for strings in different normal forms of Unicode.
    package func utf8Equals(_ other: String) -> Bool {
        self == other && utf8.elementsEqual(other.utf8)
    }
}
