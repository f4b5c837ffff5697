import Testing

@testable import ModelTools

/// The tree in a text of model XML: the content of the `<model>` element.
func tree(_ content: String, attributes: String = "") throws -> ModelElement {
    try ModelElement(xml: Data("<model \(attributes)>\n\(content)\n</model>".utf8))
}

/// The model in a text of model XML.
func model(_ content: String) throws -> NSManagedObjectModel {
    try NSManagedObjectModel(tree: tree(content))
}

/// An entity with a name and a string, which nothing can be said against.
func entity(_ name: String, _ more: String = "", _ settings: String = "") -> String {
    "<entity name=\"\(name)\" \(settings)><attribute name=\"text\" optional=\"YES\" attributeType=\"String\"/>\(more)</entity>"
}
