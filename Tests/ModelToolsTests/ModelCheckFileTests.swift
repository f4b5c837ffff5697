import Testing

@testable import ModelTools

/// The check of files and folders.
struct ModelCheckFileTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ text: String, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test("The check of a model folder covers every version and the marker")
    func everyVersionIsChecked() throws {
        try inFolder { folder in
            let url = folder.appending(path: "M.xcdatamodeld")
            var file = try XcodeModelFile.create(at: url, contents: tree("<entity name=\"A\"/>"))
            try file.addVersion(named: "M 2", contents: tree("<entity name=\"b\"/>"))
            let found = ModelCheck.findings(in: url)
            #expect(found.map(\.code) == [.emptyEntity, .nameStyle, .emptyEntity])
            #expect(found[0].file?.hasSuffix("M.xcdatamodeld/M.xcdatamodel/contents") == true)
            #expect(found[2].file?.hasSuffix("M.xcdatamodeld/M 2.xcdatamodel/contents") == true)
            #expect(found[2].line == 3)
            let version = ModelCheck.findings(in: file.currentVersion.url)
            #expect(version.map(\.code) == [.emptyEntity])
            #expect(
                ModelCheck.findings(in: file.currentVersion.url.appending(path: "contents")).map(\.code)
                    == [.emptyEntity])
            try write(
                "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>M 3.xcdatamodel</string></dict></plist>",
                to: url.appending(path: ".xccurrentversion"))
            #expect(
                ModelCheck.findings(in: url).map(\.code)
                    == [.currentVersionUnknown, .nameStyle, .emptyEntity, .emptyEntity])
        }
    }

    @Test("The check of a compiled model warns of hashes that differ from the list of versions")
    func hashesThatAreNotThoseOfTheListOfVersions() throws {
        try inFolder { folder in
            let constraints = ["a", "b"].map {
                "<uniquenessConstraint><constraint value=\"\($0)\"/></uniquenessConstraint>"
            }
            func model(_ type: String, _ more: String) throws -> NSManagedObjectModel {
                try NSManagedObjectModel(
                    tree: tree(
                        """
                        <entity name="Plain" representedClassName="Plain"><attribute name="x" attributeType="\(type)"/></entity>
                        <entity name="Unsure" representedClassName="Unsure"><attribute name="a" attributeType="\(type)"/>
                        <attribute name="b" attributeType="String"/>
                        <uniquenessConstraints>\(constraints.joined())</uniquenessConstraints></entity>
                        <entity name="\(more)" representedClassName="C"><attribute name="x" attributeType="String"/></entity>
                        """))
            }
            let url = folder.appending(path: "M.momd")
            try CompiledModelFolder.write([("M", model("String", "New"))], currentVersion: nil, to: url)
            #expect(ModelCheck.findings(in: url) == [])
            let other = folder.appending(path: "Other.momd")
            try CompiledModelFolder.write([("M", model("Integer 16", "Old"))], currentVersion: nil, to: other)
            let list = url.appending(path: "VersionInfo.plist")
            try Data(contentsOf: other.appending(path: "VersionInfo.plist")).write(to: list)
            let found = ModelCheck.findings(in: url)
            #expect(found.map(\.code) == Array(repeating: .versionHashDiffers, count: 4))
            #expect(found.map(\.severity) == Array(repeating: .warning, count: 4))
            #expect(found.map(\.entity) == ["New", "Old", "Plain", "Unsure"])
            #expect(found.allSatisfy { $0.file?.hasSuffix("M.momd/M.mom") == true })
            #expect(found[2].message == "VersionInfo.plist has another version hash")
            #expect(
                found[3].message
                    == "VersionInfo.plist has another version hash; that of an entity with several "
                    + "uniqueness constraints cannot be computed with certainty")
            try write("garbage", to: list)
            #expect(ModelCheck.findings(in: url).map(\.code).contains(.malformed))
        }
    }

    @Test("The check of an unreadable file has one finding with its reason")
    func filesThatCannotBeRead() throws {
        try inFolder { folder in
            let cases: [(String, String, ModelFinding.Code)] = [
                ("a.xcdatamodel/contents", "<model><entity", .malformed),
                ("b.xcdatamodel/contents", "<plist/>", .malformed),
                ("c.xcdatamodel/elements", "bplist00", .malformed),
                ("d.xcdatamodel/other", "", .unreadable),
                ("e.xcdatamodel/contents", String(repeating: "<a>", count: 100), .tooLarge),
            ]
            for (path, text, code) in cases {
                let file = folder.appending(path: path)
                try write(text, to: file)
                let found = ModelCheck.findings(in: file.deletingLastPathComponent())
                #expect(found.map(\.code) == [code], "\(path): \(found)")
                #expect(found.first?.file != nil)
            }
            #expect(ModelCheck.findings(in: folder.appending(path: "none")).map(\.code) == [.unreadable])
        }
    }
}
