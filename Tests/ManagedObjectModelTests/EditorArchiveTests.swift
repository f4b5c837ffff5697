import CocoaFoundation
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Models of Xcode 3: folders with a file `elements`, the archive of its model editor.
struct EditorArchiveTests {
    /// A folder `.xcdatamodel` of Xcode 3.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "elements-\(UUID().uuidString).xcdatamodel")

        init(_ elements: Data) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try elements.write(to: url.appending(path: "elements"))
        }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private static var names: ArchivedValue { .array([.array([.text("title"), .text("year")])]) }

    /// A model with every setting that is known.
    private static var whole: ArchivedValue {
        let title = EditorModel.attribute(
            "title", .stringAttributeType,
            settings: [
                ("XD_PAttK_minValueString", .text("1")), ("XD_PAttK_maxValueString", .text("9")),
                ("XD_PAttK_regularExpressionString", .text("[a-z]+")), ("XD_PPSK_isIndexed", .flag(true)),
                ("XD_PAttK_defaultValueAsString", .changeableText("none")),
                ("XD_PPSK_elementID", .text("name")), ("XD_PPSK_versionHashModifier", .text("2")),
                ("XD_PPSK_isSpotlightIndexed", .flag(true)), ("XD_PPSK_isStoredInTruthFile", .flag(true)),
            ])
        let bought = EditorModel.attribute(
            "Bought", .dateAttributeType,
            settings: [
                ("XD_PAttK_minValueString", .text("2001-01-01 01:00:00 +0100")),
                ("XD_PAttK_maxValueString", .text("1e3")),
                ("XD_PAttK_defaultValueAsString", .text("2001-01-01 00:01:00 +0000")),
            ])
        let cover = EditorModel.attribute(
            "cover", .binaryDataAttributeType,
            settings: [
                ("XD_PAttK_allowsExternalBinaryDataStorage", .flag(true)),
                (
                    "XD_PPSK_userInfo",
                    .table([
                        ("units", .text("pixels")), ("com.apple.syncservices.Syncable", .text("NO")),
                        (
                            "com.apple.syncservices.AutomaticResolutionPolicy",
                            .table([("PreferredRecord", .text("Truth"))])
                        ),
                    ])
                ),
            ])
        let color = EditorModel.attribute(
            "color", .transformableAttributeType,
            settings: [
                ("XD_PAttK_valueTransformerName", .text("T")), ("XD_PPSK_isTransient", .flag(true)),
            ])
        let request = { (name: String, predicate: String) -> ArchivedValue in
            .object(
                "XDPMFetchRequest",
                [
                    ("_name", .text(name)), ("_predicateString", .text(predicate)),
                    ("_entity", .object("XDPMEntity", [("_name", .text("Book"))])),
                    ("_fetchedProperty", .null),
                ])
        }
        let recent = EditorModel.property(
            "XDPMFetchedProperty", "recent",
            [
                ("XD_PPSK_isTransient", .flag(true)), ("XD_PPSK_isOptional", .flag(true)),
                ("XD_PFP_fetchRequestKey", request("fetchedPropertyFetchRequest", "year > 2000")),
            ])
        let book = EditorModel.entity(
            "Book",
            [
                title, EditorModel.attribute("year", .integer32AttributeType), bought, cover, color, recent,
                EditorModel.relationship("shelf", to: "Shelf", inverse: "books", toMany: false),
            ], parent: "Thing",
            settings: [
                ("XD_PSK_entityClassName", .text("LibraryBook")), ("XD_PSK_elementID", .text("Volume")),
                ("XD_PSK_versionHashModifier", .text("3")), ("XDPMUniquenessConstraints", names),
                ("XDPMCompoundIndexes", names), ("XD_PSK_userInfo", .table([("k", .text("v"))])),
                ("XD_PSK_fetchRequestsArray", .array([request("old", "year < 1900")])),
            ])
        let shelf = EditorModel.entity(
            "Shelf",
            [
                EditorModel.property(
                    "XDPMRelationship", "books",
                    [
                        ("XD_PRK_destination", .object("XDPMEntity", [("_name", .text("Book"))])),
                        (
                            "XD_PRK_inverseRelationship",
                            .object(
                                "XDPMRelationship",
                                [
                                    ("_name", .text("shelf")),
                                    ("_owner", .object("XDPMEntity", [("_name", .text("Book"))])),
                                ])
                        ),
                        ("XD_PRK_isToMany", .flag(true)), ("XD_PRK_minCount", .number(2)),
                        ("XD_PRK_maxCount", .number(20)), ("XD_PRK_deleteRule", .number(2)),
                        ("XD_PRK_ordered", .flag(true)),
                    ])
            ],
            settings: [
                ("XD_PSK_userInfo", .table([("com.apple.syncservices.Syncable", .text("NO"))]))
            ])
        let thing = EditorModel.entity("Thing", [], settings: [("XD_PSK_isAbstract", .flag(true))])
        return EditorModel.archive([shelf, thing, book], configurations: [("Local", ["Shelf", "Book"])])
    }

    // MARK: Reading

    @Test("Every setting of an Xcode 3 model is written to a model file in Xcode's form")
    func everySettingIsReadAndWrittenAsXcodeDoes() throws {
        let folder = try Folder(Self.whole.archive)
        let tree = try XcodeModelFile.contents(of: folder.url)
        let text = String(decoding: try tree.xml(), as: UTF8.self)
        // What the document says about itself is that of a new one.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1].hasSuffix(#"sourceLanguage="Objective-C" userDefinedModelVersionIdentifier="1">"#))
        #expect(
            lines.dropFirst(2).joined(separator: "\n") == """
                    <entity name="Book" representedClassName="LibraryBook" parentEntity="Thing" elementID="Volume" versionHashModifier="3" syncable="YES">
                        <attribute name="Bought" optional="YES" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="1000" defaultDateTimeInterval="60" syncable="YES"/>
                        <attribute name="color" optional="YES" transient="YES" attributeType="Transformable" valueTransformerName="T" syncable="YES"/>
                        <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES">
                            <userInfo>
                                <entry key="units" value="pixels"/>
                            </userInfo>
                        </attribute>
                        <attribute name="title" optional="YES" attributeType="String" minValueString="1" maxValueString="9" regularExpressionString="[a-z]+" defaultValueString="none" spotlightIndexingEnabled="YES" storedInTruthFile="YES" indexed="YES" elementID="name" versionHashModifier="2" syncable="YES"/>
                        <attribute name="year" optional="YES" attributeType="Integer 32" syncable="YES"/>
                        <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf" inverseName="books" syncable="YES"/>
                        <fetchedProperty name="recent" optional="YES" syncable="YES">
                            <fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="year &gt; 2000"/>
                        </fetchedProperty>
                        <compoundIndexes>
                            <compoundIndex>
                                <index value="title"/>
                                <index value="year"/>
                            </compoundIndex>
                        </compoundIndexes>
                        <uniquenessConstraints>
                            <uniquenessConstraint>
                                <constraint value="title"/>
                                <constraint value="year"/>
                            </uniquenessConstraint>
                        </uniquenessConstraints>
                        <userInfo>
                            <entry key="k" value="v"/>
                        </userInfo>
                    </entity>
                    <entity name="Shelf">
                        <relationship name="books" minCount="2" toMany="YES" maxCount="20" deletionRule="Cascade" ordered="YES" destinationEntity="Book" inverseName="shelf" inverseEntity="Book" syncable="YES"/>
                    </entity>
                    <entity name="Thing" isAbstract="YES" syncable="YES"/>
                    <fetchRequest name="old" entity="Book" predicateString="year &lt; 1900"/>
                    <configuration name="Local">
                        <memberEntity name="Book"/>
                        <memberEntity name="Shelf"/>
                    </configuration>
                </model>
                """)
    }

    @Test("An Xcode 3 model equals the model of the file written from it")
    func theModelIsTheOneOfItsText() throws {
        let folder = try Folder(Self.whole.archive)
        let model = try NSManagedObjectModel(loading: folder.url)
        let text = try XcodeModelFile.contents(of: folder.url).xml()
        let again = try NSManagedObjectModel(tree: ModelElement(xml: text))
        #expect(model == again && model.entityVersionHashesByName == again.entityVersionHashesByName)
        #expect(NSManagedObjectModel(contentsOf: folder.url.appending(path: "elements")) == model)
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.superentity?.name == "Thing" && book.managedObjectClassName == "LibraryBook")
        #expect(book.attributesByName["title"]?.validationPredicates.count == 3)
        #expect(
            book.attributesByName["Bought"]?.defaultValue as? Date
                == Date(timeIntervalSinceReferenceDate: 60))
        #expect(book.relationshipsByName["shelf"]?.inverseRelationship?.maxCount == 20)
        #expect(model.entities(forConfigurationName: "Local")?.map(\.name) == ["Book", "Shelf"])
        #expect(model.fetchRequestTemplate(forName: "old")?.predicate?.formatString == "year < 1900")
        #expect(model.versionIdentifiers == ["1"])
    }

    @Test("A file named contents takes precedence over one named elements")
    func contentsTakesPrecedenceOverElements() throws {
        let folder = try Folder(Self.whole.archive)
        let contents = folder.url.appending(path: "contents")
        try Data("<model><entity name=\"New\"/></model>".utf8).write(to: contents)
        #expect(try NSManagedObjectModel(loading: folder.url).entities.map(\.name) == ["New"])
        #expect(XcodeModelFile.file(of: folder.url) == contents)
        try FileManager.default.removeItem(at: contents)
        #expect(try NSManagedObjectModel(loading: folder.url).entities.count == 3)
    }

    // MARK: What is refused

    private func error(_ data: Data) -> ModelFileError? {
        #expect(throws: ModelFileError.self) {
            let folder = try Folder(data)
            _ = try NSManagedObjectModel(loading: folder.url)
        }
    }

    private func error(_ entities: [ArchivedValue]) -> ModelFileError? {
        error(EditorModel.archive(entities).archive)
    }

    private func error(setting name: String, _ value: ArchivedValue) -> ModelFileError? {
        let type = [("XD_PAttK_attributeType", ArchivedValue.number(900))].filter { $0.0 != name }
        return error([
            EditorModel.entity("E", [EditorModel.property("XDPMAttribute", "a", type + [(name, value)])])
        ])
    }

    @Test("A file that is not an archive of Xcode 3's model editor is refused")
    func otherFiles() throws {
        #expect(error(Data())?.reason == .malformed)
        #expect(error(Data("<?xml version=\"1.0\"?><plist/>".utf8))?.reason == .malformed)
        #expect(error(Data("bplist00".utf8))?.reason == .malformed)
        let compiled = error(try NSManagedObjectModel().compiledData())
        #expect(compiled?.reason == .unsupportedForm && compiled?.detail.contains("XDPMModel") == true)
        #expect(compiled?.file?.lastPathComponent == "elements")
    }

    @Test("An unknown setting, class or package of an Xcode 3 model is refused by name")
    func unknownSettingsAreNamed() {
        let setting = error(setting: "XD_PAttK_new", .text("x"))
        #expect(setting?.reason == .unsupportedForm && setting?.element == "E.a")
        #expect(setting?.detail.contains("'XD_PAttK_new'") == true)
        let other = error([EditorModel.entity("E", [.object("XDPMOther", [("_name", .text("o"))])])])
        #expect(other?.element == "E.o" && other?.detail.contains("XDPMOther") == true)
        let info = error(setting: "XD_PPSK_userInfo", .table([("list", .array([]))]))
        #expect(info?.reason == .unsupportedForm && info?.detail.contains("'list'") == true)
        let request = ArchivedValue.object(
            "XDPMFetchRequest", [("_name", .text("r")), ("_sorting", .text("a"))])
        let fetch = error([
            EditorModel.entity("E", [], settings: [("XD_PSK_fetchRequestsArray", .array([request]))])
        ])
        #expect(fetch?.element == "r" && fetch?.detail.contains("'_sorting'") == true)
        let package = error(
            ArchivedValue.object(
                "XDPMModel",
                [
                    (
                        "_xd_rootPackage",
                        .object(
                            "XDModelPackage",
                            [("XDBucketForPackagesstorage", .table([("p", .object("XDModelPackage", []))]))])
                    )
                ]
            ).archive)
        #expect(package?.detail.contains("Packages") == true)
        let configuration = error(
            ArchivedValue.object(
                "XDPMModel",
                [
                    ("_xd_rootPackage", .object("XDModelPackage", [])),
                    ("_configurationsByName", .table([("c", .array([.object("Other", [])]))])),
                ]
            ).archive)
        #expect(configuration?.element == "c" && configuration?.reason == .unsupportedForm)
    }

    @Test("An impossible value in an Xcode 3 model is refused")
    func impossibleValues() {
        #expect(error(setting: "XD_PAttK_attributeType", .number(12))?.detail.contains("12") == true)
        #expect(error(setting: "XD_PAttK_attributeType", .number(-1))?.reason == .invalidValue)
        let date = error(setting: "XD_PAttK_defaultValueAsString", .text("soon"))
        #expect(date?.element == "E.a" && date?.detail.contains("'soon'") == true)
        #expect(error(setting: "XD_PAttK_minValueString", .text("soon"))?.reason == .invalidValue)
        #expect(error(setting: "XD_PPSK_isOptional", .text("yes"))?.reason == .malformed)
        #expect(error(setting: "XD_PPSK_elementID", .number(1))?.reason == .malformed)
        let rule = EditorModel.property("XDPMRelationship", "r", [("XD_PRK_deleteRule", .number(7))])
        #expect(error([EditorModel.entity("E", [rule])])?.detail.contains("7") == true)
        let parents = error([
            EditorModel.entity("E", [], parents: ["A", "B"]), EditorModel.entity("A", []),
            EditorModel.entity("B", []),
        ])
        #expect(parents?.element == "E" && parents?.detail.contains("A, B") == true)
    }

    @Test("A mutated Xcode 3 archive gives a model or an error", arguments: 0..<4)
    func aMutatedArchiveIsAModelOrAnError(seed: UInt64) throws {
        var random = Fuzzing.numbers(seed: seed)
        let original = Array(Self.whole.archive)
        var read = 0
        for _ in 0..<Fuzzing.rounds(300) {
            var bytes = original
            let start = Int(random.next() % UInt64(bytes.count))
            let end = min(bytes.count, start + Int(random.next() % 20))
            switch random.next() % 6 {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            default: bytes[start] = UInt8(truncatingIfNeeded: random.next())
            }
            do {
                let tree = try XcodeModelFile.tree(of: Data(bytes), in: URL(filePath: "/elements"))
                #expect(tree.name == "model")
                read += 1
                _ = try tree.xml()
                _ = try NSManagedObjectModel(tree: tree).entityVersionHashesByName
            } catch let error as ModelFileError {
                #expect(!error.description.isEmpty)
            }
        }
        #expect(read > 0)
    }
}
