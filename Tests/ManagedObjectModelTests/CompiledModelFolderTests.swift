import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Folders of compiled models, and references to the models in them.
struct CompiledModelFolderTests {
    /// A folder that is there while a test runs.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "compiled-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: url) }

        func write(_ text: String, to path: String) throws {
            let file = url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        /// What is in the folder, hidden files included.
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        }
    }

    private func model(_ entity: String) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let description = NSEntityDescription()
        description.name = entity
        model.entities = [description]
        return model
    }

    private func marker(_ name: String) -> String {
        "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>"
    }

    @Test("A compiled model folder has all versions and a list with their hashes and checksums")
    func versionsAreWrittenWithTheirList() throws {
        let folder = try Folder()
        let target = folder.url.appending(path: "A.momd")
        let (one, two) = (model("One"), model("Two"))
        try CompiledModelFolder.write([("A", one), ("A 2", two)], currentVersion: "A 2", to: target)
        let compiled = try CompiledModelFolder(url: target)
        #expect(compiled.versions.map(\.name) == ["A", "A 2"])
        #expect(try compiled.currentVersion().name == "A 2")
        #expect(compiled.versions.map(\.versionHashes) == [one, two].map(\.entityVersionHashesByName))
        #expect(compiled.versions.map(\.versionChecksum) == [one, two].map(\.versionChecksum))
        #expect(try NSManagedObjectModel(loading: target).entities.map(\.name) == ["Two"])
        #expect(
            NSManagedObjectModel(contentsOf: target.appending(path: "A.mom"))?.entities.map(\.name) == ["One"]
        )
        let list = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: target.appending(path: "VersionInfo.plist")), format: nil)
        let keys = try #require(list as? [String: Any]).keys.sorted()
        #expect(
            keys == [
                "NSManagedObjectModel_CurrentVersionName", "NSManagedObjectModel_VersionChecksums",
                "NSManagedObjectModel_VersionHashes",
            ])
        #expect(try folder.names() == ["A.momd"])
    }

    @Test("Compiling a source writes its current version, or a single version as one file")
    func aSourceIsCompiled() throws {
        let folder = try Folder()
        try folder.write("<model><entity name=\"One\"/></model>", to: "A.xcdatamodeld/A.xcdatamodel/contents")
        let source = folder.url.appending(path: "A.xcdatamodeld")
        let target = folder.url.appending(path: "A.momd")
        try CompiledModelFolder.compile(source, to: target)
        #expect(try NSManagedObjectModel(loading: target).entities.map(\.name) == ["One"])
        #expect(try !listOfVersions(target).keys.contains("NSManagedObjectModel_CurrentVersionName"))

        try folder.write(
            "<model><entity name=\"Two\"/></model>", to: "A.xcdatamodeld/A 2.xcdatamodel/contents")
        try folder.write(marker("A 2.xcdatamodel"), to: "A.xcdatamodeld/.xccurrentversion")
        try CompiledModelFolder.compile(source, to: target)
        #expect(try NSManagedObjectModel(loading: target).entities.map(\.name) == ["Two"])
        #expect(try listOfVersions(target)["NSManagedObjectModel_CurrentVersionName"] as? String == "A 2")

        let file = folder.url.appending(path: "A.mom")
        try CompiledModelFolder.compile(source.appending(path: "A.xcdatamodel"), to: file)
        #expect(try NSManagedObjectModel(loading: file).entities.map(\.name) == ["One"])
        #expect(try folder.names() == ["A.mom", "A.momd", "A.xcdatamodeld"])
    }

    private func listOfVersions(_ target: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: target.appending(path: "VersionInfo.plist"))
        return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any] ?? [:]
    }

    @Test("A failed write leaves the folder that was there unchanged")
    func aFailureLeavesTheTargetAsItWas() throws {
        let folder = try Folder()
        let target = folder.url.appending(path: "A.momd")
        try CompiledModelFolder.write([("A", model("One"))], currentVersion: nil, to: target)
        let broken = model("")
        for (versions, current) in [
            ([("A", model("Two")), ("B", broken)], "A"), ([("A", model("Two"))], "B"),
            ([("../A", model("Two"))], "../A"), ([("A", model("Two")), ("A", model("Three"))], "A"),
            ([(".A", model("Two"))], ".A"),
        ] {
            let error = #expect(throws: ModelFileError.self) {
                try CompiledModelFolder.write(versions, currentVersion: current, to: target)
            }
            #expect(error?.file == target)
        }
        #expect(try NSManagedObjectModel(loading: target).entities.map(\.name) == ["One"])
        #expect(try folder.names() == ["A.momd"])
        #expect(throws: ModelFileError.self) {
            try CompiledModelFolder.write(
                [("A", model("Two"))], currentVersion: nil,
                to: folder.url.appending(path: "missing/deeper.momd/A.mom/x"))
        }
    }

    @Test("A missing current version is an error, and without a list the first version opens")
    func missingCurrentVersion() throws {
        let folder = try Folder()
        let target = folder.url.appending(path: "A.momd")
        try CompiledModelFolder.write(
            [("A", model("One")), ("B", model("Two"))], currentVersion: "B", to: target)
        try FileManager.default.removeItem(at: target.appending(path: "B.mom"))
        let missing = #expect(throws: ModelFileError.self) { try NSManagedObjectModel(loading: target) }
        #expect(missing?.detail == "the current version 'B' is not there")
        try folder.write("momv2$", to: "A.momd/B.omo")
        let optimized = #expect(throws: ModelFileError.self) { try NSManagedObjectModel(loading: target) }
        #expect(optimized?.reason == .unsupportedForm && optimized?.detail.contains(".omo") == true)
        try FileManager.default.removeItem(at: target.appending(path: "VersionInfo.plist"))
        #expect(try NSManagedObjectModel(loading: target).entities.map(\.name) == ["One"])
    }

    // MARK: The list of versions

    private static let header = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        """

    @Test("The list of versions may be an XML property list")
    func theListMayBeXML() throws {
        let text = """
            \(Self.header)
            <plist version="1.0"><dict>
                <key>NSManagedObjectModel_CurrentVersionName</key><string>A &amp; B</string>
                <key>NSManagedObjectModel_VersionHashes</key>
                <dict><key>A &amp; B</key><dict><key>One</key><data>AQID</data></dict></dict>
                <key>Other</key><array><true/><integer>7</integer></array>
            </dict></plist>
            """
        let info = try VersionInfo(Data(text.utf8))
        #expect(info.currentVersionName == "A & B")
        #expect(info.versionHashes == ["A & B": ["One": Data([1, 2, 3])]])
        #expect(info.versionChecksums.isEmpty)
    }

    @Test(
        "A malformed list of versions throws",
        arguments: [
            "", "text", "<plist/>", "<plist><array/></plist>", "<plist><dict><key>a</key></dict></plist>",
            "<plist><dict><string>a</string><string>b</string></dict></plist>",
            "<plist><dict><key>a</key><true/><key>a</key><true/></dict></plist>",
            "<plist><dict><key>NSManagedObjectModel_CurrentVersionName</key><true/></dict></plist>",
            "<plist><dict><key>NSManagedObjectModel_VersionHashes</key><string>x</string></dict></plist>",
            """
            <plist><dict><key>NSManagedObjectModel_VersionHashes</key><dict><key>A</key><dict><key>E</key>
            <string>x</string></dict></dict></dict></plist>
            """,
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><dict><key>&a;</key><true/></dict></plist>",
            "<plist><dict><key>a</key><data>*</data></dict></plist>",
        ])
    func malformedListOfVersions(text: String) throws {
        #expect(throws: ModelFileError.self) { try VersionInfo(Data(text.utf8)) }
    }

    @Test("A list of versions that is nested too deeply throws")
    func deeplyNestedListOfVersions() {
        let xml = String(repeating: "<dict><key>a</key>", count: 100_000)
        #expect(throws: ModelFileError.self) { try VersionInfo(Data("<plist>\(xml)".utf8)) }
        var table = PropertyListTable()
        var node = table.addDictionary([])
        for _ in 0..<100_000 { node = table.addDictionary([(key: "a", value: node)]) }
        let list = BinaryPropertyList(nodes: table.nodes, root: node).data()
        #expect(throws: ModelFileError.self) { try VersionInfo(list) }
    }

    // MARK: References

    @Test("A model reference resolves by model, file, name or entity hashes")
    func referencesFindTheirModel() throws {
        let folder = try Folder()
        let target = folder.url.appending(path: "A.momd")
        let (one, two) = (model("One"), model("Two"))
        try CompiledModelFolder.write([("A", one), ("A 2", two)], currentVersion: "A 2", to: target)
        let checksum = one.versionChecksum
        let given = NSManagedObjectModelReference(model: one, versionChecksum: checksum)
        #expect(given.resolvedModel === one && given.versionChecksum == checksum)
        for url in [target, target.appending(path: "A.mom")] {
            let reference = NSManagedObjectModelReference(fileURL: url, versionChecksum: checksum)
            #expect(try reference.resolve() == one)
            #expect(try reference.resolve() === reference.resolvedModel)
        }
        let bundle = try #require(Bundle(path: folder.url.path))
        for name in ["A", "A 2"] {
            let reference = NSManagedObjectModelReference(
                name: name, in: bundle, versionChecksum: two.versionChecksum)
            #expect(try reference.resolve() == two)
        }
        let hashes = NSManagedObjectModelReference(
            entityVersionHashes: one.entityVersionHashesByName, in: bundle, versionChecksum: checksum)
        #expect(try hashes.resolve() == one)
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.map(\.name) == ["Two"])
        let metadata: [String: Any] = ["NSStoreModelVersionHashes": one.entityVersionHashesByName]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata) == one)
    }

    @Test("A reference that finds no model of its checksum throws error 134504")
    func unresolvableReferences() throws {
        let folder = try Folder()
        let bundle = try #require(Bundle(path: folder.url.path))
        let one = model("One")
        for reference in [
            NSManagedObjectModelReference(model: one, versionChecksum: "x"),
            NSManagedObjectModelReference(
                fileURL: folder.url.appending(path: "none.momd"), versionChecksum: "x"),
            NSManagedObjectModelReference(name: "A", in: bundle, versionChecksum: "x"),
            NSManagedObjectModelReference(
                entityVersionHashes: one.entityVersionHashesByName, in: bundle, versionChecksum: "x"),
        ] {
            let error = #expect(throws: NSError.self) { try reference.resolve() }
            #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134_504)
        }
    }
}
