import DurableFiles
import TestSupport
import Testing

@testable import ManagedObjectModel

/// Writing of versioned model folders.
struct ModelFileWritingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "written-\(UUID().uuidString)")

    private func inFolder(_ body: (URL) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func tree(_ entity: String) throws -> ModelElement {
        try ModelElement(model: makeModel(ManagedObjectModelTests.entity(entity, [attribute("a", .string)])))
    }

    @Test("A model file gets versions, sorted by name, one of which is current")
    func aModelGetsVersions() throws {
        try inFolder { folder in
            let url = folder.appending(path: "Shop.xcdatamodeld")
            var file = try XcodeModelFile.create(at: url, contents: tree("One"))
            #expect(file.versions.map(\.name) == ["Shop"])
            try file.addVersion(named: "Shop 10", contents: tree("Ten"))
            try file.addVersion(named: "Shop 2", contents: tree("Two"))
            #expect(file.versions.map(\.name) == ["Shop", "Shop 2", "Shop 10"])
            #expect(try NSManagedObjectModel(loading: url).entities[0].name == "One")
            try file.setCurrentVersion(named: "Shop 2")
            #expect(file.currentVersion.name == "Shop 2")
            #expect(try NSManagedObjectModel(loading: url).entities[0].name == "Two")
            #expect(try XcodeModelFile(url: url).versions == file.versions)
            try XcodeModelFile.write(tree("Three"), to: file.currentVersion.url)
            #expect(try NSManagedObjectModel(loading: url).entities[0].name == "Three")
            let left = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
            #expect(
                left == [
                    ".xccurrentversion", "Shop 10.xcdatamodel", "Shop 2.xcdatamodel", "Shop.xcdatamodel",
                ])
        }
    }

    @Test("A failed write leaves neither a new file nor a changed version")
    func failedWrite() throws {
        try inFolder { folder in
            let url = folder.appending(path: "Shop.xcdatamodeld")
            let broken = ModelElement("model", attributes: [.init("v", "\u{1}")])
            #expect(throws: ModelFileError.self) { try XcodeModelFile.create(at: url, contents: broken) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            var file = try XcodeModelFile.create(at: url, contents: tree("One"))
            #expect(throws: ModelFileError.self) { try file.addVersion(named: "Shop 2", contents: broken) }
            #expect(throws: ModelFileError.self) {
                try XcodeModelFile.write(broken, to: file.currentVersion.url)
            }
            #expect(try XcodeModelFile(url: url).versions.map(\.name) == ["Shop"])
            #expect(try NSManagedObjectModel(loading: url).entities[0].name == "One")
        }
    }

    @Test("A version name that exists or is invalid is refused")
    func namesThatAreTakenOrImpossible() throws {
        try inFolder { folder in
            let url = folder.appending(path: "Shop.xcdatamodeld")
            var file = try XcodeModelFile.create(at: url, contents: tree("One"))
            for (name, reason) in [
                ("Shop", ModelFileError.Reason.duplicateName), ("", .invalidValue), ("../x", .invalidValue),
                (".x", .invalidValue),
            ] {
                let error = #expect(throws: ModelFileError.self) {
                    try file.addVersion(named: name, contents: tree("Two"))
                }
                #expect(error?.reason == reason)
            }
            let error = #expect(throws: ModelFileError.self) { try file.setCurrentVersion(named: "Shop 2") }
            #expect(error?.reason == .unknownName)
            #expect(throws: ModelFileError.self) { try XcodeModelFile.create(at: url, contents: tree("Two")) }
            var single = try XcodeModelFile(url: url.appending(path: "Shop.xcdatamodel"))
            let other = #expect(throws: ModelFileError.self) {
                try single.addVersion(named: "B", contents: tree("Two"))
            }
            #expect(other?.reason == .unsupportedForm)
        }
    }

    @Test("The marker of the current version has Xcode's form and is read back")
    func theMarkerIsThatOfXcode() throws {
        try inFolder { folder in
            let url = folder.appending(path: CurrentVersionMarker.fileName)
            for marker in [
                CurrentVersionMarker(versionFolderName: "A & <B>.xcdatamodel"),
                CurrentVersionMarker(versionFolderName: nil),
            ] {
                try marker.data.write(to: url)
                #expect(try CurrentVersionMarker(contentsOf: url) == marker)
            }
            let text = String(decoding: CurrentVersionMarker(versionFolderName: "B").data, as: UTF8.self)
            #expect(
                text.hasSuffix(
                    "<dict>\n\t<key>_XCCurrentVersionName</key>\n\t<string>B</string>\n</dict>\n</plist>\n"))
        }
    }

    @Test("A version is on disk before it replaces the old one")
    func versionsAreSynced() throws {
        try inFolder { folder in
            let url = folder.appending(path: "Shop.xcdatamodeld")
            let version = try XcodeModelFile.create(at: url, contents: tree("One")).currentVersion.url
            chmod(version.appending(path: "contents").path, 0o640)
            let calls = RecordedFileCalls()
            var number = 0
            try calls.run {
                try XcodeModelFile.write(tree("Two").xml(), to: version) { number = calls.calls.count }
            }
            let wanted = [
                "write contents", "sync contents", "rename contents contents", "sync Shop.xcdatamodel",
            ]
            #expect(calls.calls.filter { wanted.contains($0) } == wanted)
            #expect(calls.calls[..<number].contains("sync contents"))
            #expect(!calls.calls[..<number].contains("rename contents contents"))
            #expect(try FileAttributes(of: version.appending(path: "contents"))?.mode == 0o640)
            #expect(try FileManager.default.contentsOfDirectory(atPath: version.path) == ["contents"])
        }
    }

    @Test("A new model folder is synced with everything in it before it gets its name")
    func newFoldersAreSynced() throws {
        try inFolder { folder in
            let calls = RecordedFileCalls()
            let url = folder.appending(path: "Shop.xcdatamodeld")
            try calls.run { _ = try XcodeModelFile.create(at: url, contents: tree("One")) }
            let rename = "rename Shop.xcdatamodeld Shop.xcdatamodeld"
            let index = try #require(calls.calls.firstIndex(of: rename))
            #expect(calls.calls[..<index].contains("sync contents"))
            #expect(calls.calls[..<index].contains("sync Shop.xcdatamodel"))
            #expect(calls.calls[..<index].contains("sync .xccurrentversion"))
            #expect(calls.calls[..<index].contains("sync Shop.xcdatamodeld"))
            #expect(calls.calls[index...].contains("sync \(folder.lastPathComponent)"))
        }
    }
}
