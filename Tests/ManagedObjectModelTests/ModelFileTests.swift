import Testing

@testable import ManagedObjectModel

/// The folders and files that a model comes in.
struct ModelFileTests {
    /// A folder that is there while a test runs.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appending(path: "model-\(UUID().uuidString)")

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

        func writeModel(_ entity: String, to path: String) throws {
            try write("<model><entity name=\"\(entity)\"/></model>", to: path + "/contents")
        }

        func writeMarker(_ name: String, in path: String) throws {
            try write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>\(name)</string></dict></plist>
                """, to: path + "/.xccurrentversion")
        }
    }

    private func entityName(_ url: URL) throws -> String? {
        try NSManagedObjectModel(loading: url).entities[0].name
    }

    @Test("A model is read from a versioned folder, a version or its contents")
    func everyFormOfAModel() throws {
        let folder = try Folder()
        try folder.writeModel("One", to: "A.xcdatamodeld/A.xcdatamodel")
        let versioned = folder.url.appending(path: "A.xcdatamodeld")
        #expect(try entityName(versioned) == "One")
        #expect(try entityName(versioned.appending(path: "A.xcdatamodel")) == "One")
        #expect(try entityName(versioned.appending(path: "A.xcdatamodel/contents")) == "One")
        #expect(NSManagedObjectModel(contentsOf: versioned)?.entities.count == 1)
    }

    @Test("The current version is the one that the marker names")
    func theCurrentVersionIsTheOneThatTheMarkerNames() throws {
        let folder = try Folder()
        for version in ["A", "A 2", "A 10"] {
            try folder.writeModel(
                version.replacingOccurrences(of: " ", with: "_"), to: "A.xcdatamodeld/\(version).xcdatamodel")
        }
        let url = folder.url.appending(path: "A.xcdatamodeld")
        #expect(try entityName(url) == "A")
        try folder.writeMarker("A 2.xcdatamodel", in: "A.xcdatamodeld")
        #expect(try entityName(url) == "A_2")
        #expect(try XcodeModelFile(url: url).versions.map(\.name) == ["A", "A 2", "A 10"])
        try folder.writeMarker("../B.xcdatamodel", in: "A.xcdatamodeld")
        #expect(throws: ModelFileError.self) { try entityName(url) }
        try folder.write("garbage", to: "A.xcdatamodeld/.xccurrentversion")
        #expect(throws: ModelFileError.self) { try entityName(url) }
    }

    @Test("Several versions without a marker are an error that names the missing file")
    func severalVersionsWithoutAMarker() throws {
        let folder = try Folder()
        try folder.writeModel("X", to: "A.xcdatamodeld/B.xcdatamodel")
        try folder.writeModel("Y", to: "A.xcdatamodeld/C.xcdatamodel")
        let error = #expect(throws: ModelFileError.self) {
            try entityName(folder.url.appending(path: "A.xcdatamodeld"))
        }
        #expect(error?.reason == .missingValue)
        #expect(error?.detail.contains(".xccurrentversion") == true)
    }

    @Test("A model in the .omo form is refused as unsupported")
    func formsThatAreNotRead() throws {
        let folder = try Folder()
        try folder.write("momv2$", to: "new.momd/new.omo")
        for path in ["new.momd", "new.momd/new.omo"] {
            let error = #expect(throws: ModelFileError.self) {
                try entityName(folder.url.appending(path: path))
            }
            #expect(error?.reason == .unsupportedForm, "\(path)")
            #expect(NSManagedObjectModel(contentsOf: folder.url.appending(path: path)) == nil)
        }
    }

    @Test("A missing, empty or unreadable model throws an error")
    func filesThatCannotBeRead() throws {
        let folder = try Folder()
        try folder.write("", to: "empty.xcdatamodeld/x")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "odd.xcdatamodel/contents"), withIntermediateDirectories: true)
        for path in ["none", "empty.xcdatamodeld", "odd.xcdatamodel", "odd.xcdatamodel/contents"] {
            let error = #expect(throws: ModelFileError.self) {
                try entityName(folder.url.appending(path: path))
            }
            #expect(error?.reason == .unreadable, "\(path): \(error?.description ?? "")")
        }
    }

    @Test("An error of a model file names the file, the line and the property")
    func anErrorNamesTheFileTheLineAndThePlace() throws {
        let folder = try Folder()
        try folder.write(
            """
            <model>
                <entity name="Book">
                    <attribute name="title" attributeType="Text"/>
                </entity>
            </model>
            """, to: "A.xcdatamodel/contents")
        let error = #expect(throws: ModelFileError.self) {
            try entityName(folder.url.appending(path: "A.xcdatamodel"))
        }
        #expect(error?.file?.lastPathComponent == "contents")
        #expect(error?.line == 3)
        #expect(error?.element == "Book.title")
        #expect(
            error?.localizedDescription.hasSuffix(
                "contents:3: Book.title: the attribute type 'Text' is unknown") == true)
    }
}
