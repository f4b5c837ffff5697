import CocoaFoundation
import Foundation

/// A file `elements` as Xcode 3 wrote it, with entities that have attributes of texts.
enum ElementsArchive {
    /// - Parameter entities: the names of the entities, each with the names of its attributes.
    static func data(_ entities: [(String, [String])]) throws -> Data {
        let writer = KeyedArchiveWriter()
        let members = entities.map { name, attributes in
            (
                name,
                object(
                    "XDPMEntity", name, [("OwnedAttributes", attributes.map { ($0, attribute($0, writer)) })],
                    writer)
            )
        }
        let package = object("XDModelPackage", "package", [("Classes", members)], writer)
        let root = writer.reserve()
        writer.fill(
            root, classNames: ["XDPMModel"],
            fields: [("_xd_rootPackage", writer.add(.identifier(UInt64(package))))])
        return try writer.finish(root: root)
    }

    private static func attribute(_ name: String, _ writer: KeyedArchiveWriter) -> Int {
        let type = writer.reserve()
        writer.fill(type, classNames: ["XDUMLPropertyImp"], fields: [("_default", writer.add(.integer(700)))])
        let stereotype = object(
            "XDUMLStereotypeImp", "s", [("OwnedAttributes", [("XD_PAttK_attributeType", type)])], writer)
        return object("XDPMAttribute", name, [("Stereotypes", [("s", stereotype)])], writer)
    }

    /// An object with a name, and tables of others.
    private static func object(
        _ className: String, _ name: String, _ tables: [(String, [(String, Int)])],
        _ writer: KeyedArchiveWriter
    ) -> Int {
        func reference(_ location: Int) -> Int { writer.add(.identifier(UInt64(location))) }
        var fields = [("_name", reference(writer.addObject(.string(name))))]
        for (kind, entries) in tables {
            let table = writer.reserve()
            let keys = entries.map { reference(writer.addObject(.string($0.0))) }
            let values = entries.map { reference($0.1) }
            writer.fill(
                table, classNames: ["NSMutableDictionary", "NSDictionary"],
                fields: [
                    ("NS.keys", writer.add(.array(keys))), ("NS.objects", writer.add(.array(values))),
                ])
            fields.append(("XDBucketFor\(kind)storage", reference(table)))
        }
        let location = writer.reserve()
        writer.fill(location, classNames: [className], fields: fields.map { (key: $0.0, value: $0.1) })
        return location
    }
}
