@testable import ManagedObjectModel

/// The text of a mapping model between the models of a bookshelf, old and new.
///
/// In the old one a `Book` has a title, a price and pages; in the new one it has a name, a price and pages, and
/// there is a `Shelf`. `Page` is the same in both, and `Lamp` is in the old one only.
enum MappingText {
    static let source = EditorModel.archive([
        EditorModel.entity(
            "Book",
            [
                EditorModel.attribute("price", .integer32AttributeType),
                EditorModel.attribute("title", .stringAttributeType),
                EditorModel.relationship("pages", to: "Page", inverse: "book", toMany: true),
            ]),
        EditorModel.entity("Lamp", [EditorModel.attribute("watt", .doubleAttributeType)]),
        page,
    ]).archive

    static let destination = EditorModel.archive([
        EditorModel.entity(
            "Book",
            [
                EditorModel.attribute("name", .stringAttributeType),
                EditorModel.attribute("price", .integer32AttributeType),
                EditorModel.relationship("pages", to: "Page", inverse: "book", toMany: true),
            ]),
        page,
        EditorModel.entity("Shelf", [EditorModel.attribute("length", .doubleAttributeType)]),
    ]).archive

    private static var page: ArchivedValue {
        EditorModel.entity(
            "Page",
            [
                EditorModel.attribute("number", .integer16AttributeType),
                EditorModel.relationship("book", to: "Book", inverse: "pages", toMany: false),
            ])
    }

    static let title = ArchivedValue.expression(MappingExpression.sourceValue("title")).archive
    static let notes = ArchivedValue.table([("reason", .text("renamed"))]).archive

    static var model: String {
        """
        <object type="XDDEVMAPPINGMODEL" id="z1">
            <attribute name="sourcemodelpath" type="string">Shelf.xcdatamodeld/Shelf.xcdatamodel</attribute>
            <attribute name="sourcemodeldata" type="binary">\(source.base64EncodedString())</attribute>
            <attribute name="destinationmodelpath" type="string">Shelf.xcdatamodeld/Shelf 2.xcdatamodel</attribute>
            <attribute name="destinationmodeldata" type="binary">\(destination.base64EncodedString())</attribute>
            <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2 z3 z4 z5"></relationship>
        </object>
        """
    }

    static let book = """
        <object type="XDDEVENTITYMAPPING" id="z2">
            <attribute name="sourcename" type="string">Book</attribute>
            <attribute name="mappingtypename" type="string">Undefined</attribute>
            <attribute name="mappingnumber" type="int16">1</attribute>
            <attribute name="destinationname" type="string">Book</attribute>
            <attribute name="autogenerateexpression" type="bool">1</attribute>
            <attribute name="sourcefilterpredicatestring" type="string">price \\u3c00 10000 AND title MATCHES '\\\\\\\\w+'</attribute>
            <attribute name="userinfodata" type="binary">\(notes.base64EncodedString())</attribute>
            <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL" idrefs="z1"></relationship>
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z10 z11"></relationship>
            <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z12"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z10">
            <attribute name="valueexpressiondata" type="binary">\(title.base64EncodedString())</attribute>
            <attribute name="name" type="string">name</attribute>
            <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z11">
            <attribute name="name" type="string">price</attribute>
            <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
        </object>
        <object type="XDDEVRELATIONSHIPMAPPING" id="z12">
            <attribute name="autogenerateexpression" type="bool">1</attribute>
            <attribute name="name" type="string">pages</attribute>
            <relationship name="entitymapping" type="1/1" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
        </object>
        """

    static let page2 = """
        <object type="XDDEVENTITYMAPPING" id="z3">
            <attribute name="sourcename" type="string">Page</attribute>
            <attribute name="mappingnumber" type="int16">2</attribute>
            <attribute name="destinationname" type="string">Page</attribute>
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z20"></relationship>
            <relationship name="relationshipmappings" type="0/0" destination="XDDEVRELATIONSHIPMAPPING" idrefs="z21"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z20">
            <attribute name="name" type="string">number</attribute>
        </object>
        <object type="XDDEVRELATIONSHIPMAPPING" id="z21">
            <attribute name="name" type="string">book</attribute>
            <attribute name="sourcekeypath" type="string">$source.book</attribute>
            <attribute name="sourcemappingname" type="string">BookToBook</attribute>
        </object>
        """

    static let others = """
        <object type="XDDEVENTITYMAPPING" id="z4">
            <attribute name="mappingnumber" type="int16">3</attribute>
            <attribute name="destinationname" type="string">Shelf</attribute>
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" idrefs="z30"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z30"><attribute name="name" type="string">length</attribute></object>
        <object type="XDDEVENTITYMAPPING" id="z5">
            <attribute name="mappingnumber" type="int16">4</attribute>
            <attribute name="sourcename" type="string">Lamp</attribute>
            <attribute name="migrationpolicyclassname" type="string"></attribute>
        </object>
        """

    static func database(_ objects: String) -> String {
        """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>C4FB3D23-093B-455B-8BB2-12E8793A4DFC</UUID>
                <nextObjectID>110</nextObjectID>
                <metadata>
                    <plist version="1.0"><dict>
                        <key>NSPersistenceFrameworkVersion</key><integer>754</integer>
                        <key>NSStoreModelVersionHashes</key><dict>
                            <key>XDDevMappingModel</key>
                            <data>
                            EqtMzvRnVZWkXwBHu4VeVGy8UyoOe+bi67KC79kphlQ=
                            </data>
                        </dict>
                        <key>NSStoreModelVersionIdentifiers</key><array><string></string></array>
                    </dict></plist>
                </metadata>
            </databaseInfo>
            \(objects)
        </database>
        """
    }

    static var whole: String { database([book, page2, model, others].joined(separator: "\n")) }

    static func file(_ text: String) throws -> XcodeMappingFile {
        try XcodeMappingFile(data: Data(text.utf8))
    }
}
