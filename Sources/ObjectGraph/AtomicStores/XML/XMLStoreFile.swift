import Foundation
import ManagedObjectModel

/// The contents of an XML store's file, as strings: reading and writing them needs no model.
package struct XMLStoreFile {
    package struct Attribute: Equatable {
        package let name: String
        let type: String
        /// The string, with escapes of XML resolved but not those of the store.
        package let text: String
    }

    package struct Relationship: Equatable {
        package let name: String
        /// Least and greatest count, as in `0/1`; a greatest count of 0 is none.
        let type: String
        let destination: String
        package let ids: [String]
    }

    package struct Object: Equatable {
        /// The name of the entity in capitals.
        package let type: String
        package let id: String
        package internal(set) var attributes: [Attribute] = []
        package internal(set) var relationships: [Relationship] = []
    }

    /// The version of the format.
    static let version = "134481920"

    var identifier: String
    /// The highest number that an object has had.
    package internal(set) var nextObjectID: Int64
    /// Without type and identifier.
    var metadata: [String: Any]
    package internal(set) var objects: [Object] = []

    // MARK: Writing

    /// The text of the file.
    ///
    /// - Throws: 134030 when the metadata cannot be kept.
    func data() throws -> Data {
        let metadata = try XMLStorePropertyList(metadata)
        var text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo>
                    <version>\(Self.version)</version>
                    <UUID>\(Self.escaped(identifier))</UUID>
                    <nextObjectID>\(nextObjectID)</nextObjectID>
                    <metadata>
                        \(metadata.text)        </metadata>
                </databaseInfo>

            """
        try checkHeader(text, metadata.values)
        for object in objects {
            text += "    <object type=\"\(Self.escaped(object.type))\" id=\"\(object.id)\">\n"
            for attribute in object.attributes {
                text +=
                    "        <attribute name=\"\(Self.escaped(attribute.name))\" type=\"\(attribute.type)\">"
                text += "\(Self.escaped(attribute.text))</attribute>\n"
            }
            for relationship in object.relationships {
                text +=
                    "        <relationship name=\"\(Self.escaped(relationship.name))\" type=\"\(relationship.type)\""
                text += " destination=\"\(Self.escaped(relationship.destination))\""
                if !relationship.ids.isEmpty {
                    text += " idrefs=\"\(relationship.ids.joined(separator: " "))\""
                }
                text += "></relationship>\n"
            }
            text += "    </object>\n"
        }
        return Data((text + "</database>").utf8)
    }

    /// An unreadable file must not replace a readable one: the header is read back as a check.
    private func checkHeader(_ text: String, _ metadata: [String: Any]) throws {
        try XMLStorePropertyList.check(identifier, NSStoreUUIDKey)
        let read: XMLStoreFile
        do {
            read = try XMLStoreReader.read(header: text + "</database>")
        } catch {
            throw NSError.coreData(
                .persistentStoreSave,
                "The metadata of the XML store could not be read again: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError])
        }
        guard read.identifier == identifier, read.nextObjectID == nextObjectID,
            NSDictionary(dictionary: read.metadata) == NSDictionary(dictionary: metadata)
        else { throw XMLStorePropertyList.refusal("these values: they would be read as different ones") }
    }

    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { "&<>\"\r".utf8.contains($0) }) else { return text }
        return text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
            .replacingOccurrences(of: "\r", with: "&#13;")
    }
}
