import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Broken and hostile mapping models: a clear error with the place, and no trap.
struct HostileMappingTests {
    private func error(_ text: String) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try MappingText.file(text) }
    }

    private func error(replacing old: String, with new: String) -> ModelFileError? {
        #expect(MappingText.whole.contains(old))
        return error(MappingText.whole.replacingOccurrences(of: old, with: new))
    }

    @Test("A file that is not a mapping model is refused")
    func otherFiles() {
        #expect(error("")?.reason == .malformed)
        #expect(error("<model/>")?.reason == .malformed)
        #expect(error("<database><x/></database>")?.detail.contains("<x>") == true)
        #expect(error(MappingText.database(""))?.reason == .missingValue)
        #expect(
            error(MappingText.database("<object type=\"BOOK\" id=\"z1\"/>"))?.reason == .unsupportedForm)
        #expect(error(MappingText.database(MappingText.model))?.reason == .unknownName)
    }

    @Test(
        "A document type that declares something, or is malformed, is refused",
        arguments: [
            "<!DOCTYPE database [<!ENTITY a \"b\">]><database/>", "<!DOCTYPE database [ ]><database/>",
            "<!DOCTYPE database SYSTEM \"a", "<!DOCTYPE database", "<!DOCTYPE a><!DOCTYPE a><database/>",
            "<database><!DOCTYPE a></database>", "<database/><!DOCTYPE a>", "<!DOCTYPE <a>><database/>",
        ])
    func documentTypesThatDeclareSomething(text: String) {
        #expect(error(text)?.reason == .malformed)
    }

    @Test("A mapping model with a missing, wrong or repeated reference is refused")
    func references() {
        #expect(error(replacing: "idrefs=\"z12\"", with: "idrefs=\"z99\"")?.reason == .unknownName)
        #expect(error(replacing: "idrefs=\"z12\"", with: "idrefs=\"z10\"")?.reason == .invalidValue)
        #expect(error(replacing: "idrefs=\"z10 z11\"", with: "idrefs=\"z10 z10\"")?.reason == .duplicateName)
        #expect(error(replacing: "idrefs=\"z20\"", with: "idrefs=\"z11\"")?.reason == .duplicateName)
        #expect(
            error(replacing: "idrefs=\"z2 z3 z4 z5\"", with: "idrefs=\"z2 z1\"")?.reason == .invalidValue)
        #expect(error(replacing: "id=\"z12\"", with: "id=\"z11\"")?.reason == .duplicateName)
        let error = error(replacing: "idrefs=\"z30\"", with: "idrefs=\"z31\"")
        #expect(error?.element == "Shelf" && error?.line != nil)
        #expect(error?.detail.contains("z31") == true)
    }

    @Test("A mapping that names an unknown entity or maps one property twice is refused")
    func names() {
        #expect(error(replacing: ">Lamp<", with: ">Tree<")?.reason == .unknownName)
        #expect(error(replacing: ">Shelf<", with: ">Tree<")?.reason == .unknownName)
        #expect(error(replacing: ">price<", with: ">name<")?.reason == .duplicateName)
        #expect(error(replacing: ">price<", with: "><")?.reason == .missingValue)
        let again = MappingText.whole.replacingOccurrences(of: ">Lamp<", with: ">Book<")
            .replacingOccurrences(
                of: "<attribute name=\"migrationpolicyclassname\" type=\"string\"></attribute>",
                with: "<attribute name=\"destinationname\" type=\"string\">Book</attribute>")
        #expect(error(again)?.reason == .duplicateName)
    }

    @Test("A value of a mapping model that cannot be read is refused")
    func values() {
        #expect(error(replacing: ">Undefined<", with: ">Other<")?.detail.contains("Other") == true)
        #expect(error(replacing: ">3<", with: ">x<")?.reason == .invalidValue)
        #expect(error(replacing: "\"bool\">1<", with: "\"bool\">x<")?.reason == .invalidValue)
        #expect(error(replacing: "price \\u3c00 10000", with: "price <![CDATA[<]]>")?.reason == .invalidValue)
        #expect(error(replacing: "$source.book<", with: "$source.<")?.reason == .invalidValue)
        #expect(
            error(replacing: "name=\"sourcekeypath\"", with: "name=\"sourcekey\"")?.reason == .unsupportedForm
        )
        #expect(
            error(
                replacing: "<attribute name=\"sourcekeypath\" type=\"string\">$source.book</attribute>",
                with: "")?
                .reason == .missingValue)
        #expect(
            error(replacing: "<integer>754</integer>", with: "<integer>many</integer>")?.reason
                == .invalidValue)
        #expect(error(replacing: "<integer>754</integer>", with: "")?.reason == .invalidValue)
        #expect(
            error(replacing: "<key>NSPersistenceFrameworkVersion</key>", with: "")?.reason == .malformed)
        let title = MappingText.title.base64EncodedString()
        #expect(error(replacing: title, with: "A")?.reason == .invalidValue)
        #expect(error(replacing: title, with: "AAAA")?.element == "BookToBook.name")
        let notes = MappingText.notes.base64EncodedString()
        #expect(error(replacing: notes, with: title)?.reason == .invalidValue)
        #expect(error(replacing: title, with: notes)?.reason == .invalidValue)
    }

    @Test("A custom fetch of the source of a mapping is refused as unsupported")
    func customFetchIsRefused() {
        #expect(
            error(
                replacing:
                    "<attribute name=\"autogenerateexpression\" type=\"bool\">1</attribute>\n    <attribute name=\"sourcefilter",
                with:
                    "<attribute name=\"autogenerateexpression\" type=\"bool\">0</attribute>\n    <attribute name=\"sourcefilter"
            )?
            .reason == .unsupportedForm)
    }

    // MARK: Embedded models

    private func error(embedding model: ArchivedValue) -> ModelFileError? {
        error(
            replacing: MappingText.source.base64EncodedString(), with: model.archive.base64EncodedString())
    }

    @Test("A malformed model inside a mapping model is refused")
    func embeddedModels() {
        #expect(error(embedding: .text("x"))?.reason == .malformed)
        #expect(error(embedding: .object("Other", []))?.detail.contains("sourcemodeldata") == true)
        #expect(error(embedding: .object("XDPMModel", []))?.reason == .malformed)
        #expect(error(embedding: EditorModel.archive([.object("Other", [])]))?.reason == .unsupportedForm)
        #expect(
            error(
                embedding: EditorModel.archive([
                    EditorModel.entity("A", [.object("Other", [("_name", .text("a"))])])
                ]))?.reason == .unsupportedForm)
        #expect(
            error(
                embedding: EditorModel.archive([EditorModel.entity("A", []), EditorModel.entity("A", [])]))?
                .reason == .duplicateName)
        #expect(
            error(
                embedding: EditorModel.archive([
                    EditorModel.entity("A", [], parent: "B"), EditorModel.entity("B", [], parent: "A"),
                ]))?.reason == .cycle)
        let strange = EditorModel.attribute(
            "a", .stringAttributeType, settings: [("XD_PAttK_new", .text("x"))])
        let error = error(embedding: EditorModel.archive([EditorModel.entity("A", [strange])]))
        #expect(error?.reason == .unsupportedForm)
        #expect(error?.detail.contains("'XD_PAttK_new'") == true)
    }

    @Test("An unknown setting of an embedded model may be empty")
    func settingsThatSayNothingMayBeUnknown() throws {
        let quiet = EditorModel.attribute(
            "a", .stringAttributeType,
            settings: [("XD_1", .null), ("XD_2", .flag(false)), ("XD_3", .array([])), ("XD_4", .text(""))])
        let model = try EditorModelArchive.model(
            EditorModel.archive([EditorModel.entity("A", [quiet])]).archive)
        #expect(model.entitiesByName["A"]?.attributesByName["a"]?.attributeType == .stringAttributeType)
    }

    @Test("The settings of a model inside a mapping model are read")
    func settingsOfEmbeddedModelsAreRead() throws {
        let names = ArchivedValue.array([.array([.text("a"), .text("b")])])
        let a = EditorModel.attribute(
            "a", .integer32AttributeType,
            settings: [
                ("XD_PAttK_defaultValueAsString", .text("7")), ("XD_PPSK_elementID", .text("old")),
                ("XD_PPSK_versionHashModifier", .text("m")), ("XD_PPSK_isTransient", .flag(true)),
                ("XD_PPSK_userInfo", .table([("k", .text("v"))])),
            ])
        let parent = EditorModel.entity(
            "P", [],
            settings: [
                ("XD_PSK_isAbstract", .flag(true)), ("XD_PSK_entityClassName", .text(".Parent")),
            ])
        let child = EditorModel.entity(
            "C", [a, EditorModel.attribute("b", .stringAttributeType)], parent: "P",
            settings: [("XDPMUniquenessConstraints", names), ("XDPMCompoundIndexes", names)])
        let model = try EditorModelArchive.model(EditorModel.archive([child, parent]).archive)
        let entity = try #require(model.entitiesByName["C"])
        #expect(entity.superentity?.name == "P" && entity.superentity?.isAbstract == true)
        #expect(entity.superentity?.managedObjectClassName == ".Parent")
        #expect(entity.uniquenessConstraints as? [[String]] == [["a", "b"]])
        #expect(entity.indexes.map(\.name) == ["a_b"])
        let attribute = try #require(entity.attributesByName["a"])
        #expect(attribute.defaultValue as? Int == 7)
        #expect(attribute.renamingIdentifier == "old" && attribute.versionHashModifier == "m")
        #expect(attribute.isTransient && attribute.userInfo as? [String: String] == ["k": "v"])
    }

    @Test("Without the source model a missing value expression is an error")
    func withoutAModelMissingExpressionsAreNotGuessed() {
        let text = MappingText.whole.replacingOccurrences(
            of: MappingText.source.base64EncodedString(), with: "")
        let error = error(text)
        #expect(error?.reason == .missingValue)
        #expect(error?.element == "BookToBook.price")
    }

    /// The archive is small and says that one table of settings belongs to each of many entities.
    @Test("Shared objects of an embedded model count towards its limit")
    func sharedObjectsAreCounted() throws {
        let settings = (0..<200).map { ("s\($0)", ArchivedValue.null) }
        let entity = EditorModel.entity("A", [], settings: settings)
        let limit = 10_000
        #expect(
            try EditorModelArchive.model(SharedArchive.model(of: entity, count: 1).archive, limit: limit)
                .entities.count == 1)
        let error = #expect(throws: ModelFileError.self) {
            try EditorModelArchive.model(SharedArchive.model(of: entity, count: 200).archive, limit: limit)
        }
        #expect(error?.reason == .tooLarge)
    }
}

private enum SharedArchive {
    static func model(of entity: ArchivedValue, count: Int) -> ArchivedValue {
        .object(
            "XDPMModel",
            [
                (
                    "_xd_rootPackage",
                    .object("XDModelPackage", [("XDBucketForClassesstorage", .shared(entity, count: count))])
                )
            ])
    }
}
