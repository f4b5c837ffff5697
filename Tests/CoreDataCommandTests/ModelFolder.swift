import Foundation

/// A folder for one test, with a model of two versions in it.
final class ModelFolder {
    let url: URL

    var model: String { url.appending(path: "Library.xcdatamodeld").path }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "coredata-\(UUID().uuidString)")
        let first = Self.contents(
            attributes: #"<attribute name="title" optional="YES" attributeType="String"/>"#)
        let second = Self.contents(
            attributes: """
                <attribute name="name" attributeType="String" defaultValueString="" elementID="title"/>
                <attribute name="pages" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
                """)
        try write(first, to: "Library.xcdatamodeld/Library.xcdatamodel/contents")
        try write(second, to: "Library.xcdatamodeld/Library 2.xcdatamodel/contents")
        try write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>Library 2.xcdatamodel</string></dict></plist>
            """, to: "Library.xcdatamodeld/.xccurrentversion")
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appending(path: path).path)
    }

    private static func contents(attributes: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22222" \
        systemVersion="22G91" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
            <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
                \(attributes)
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
            </entity>
            <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="books" optional="YES" toMany="YES" deletionRule="Cascade" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
        </model>
        """
    }
}
