import CocoaFoundation

/// The file `.xccurrentversion` of a folder `.xcdatamodeld`: a property list with the name of the version that
/// applications use.
package struct CurrentVersionMarker: Equatable, Sendable {
    /// The name of the file in its folder.
    package static let fileName = ".xccurrentversion"

    /// The name of the folder of the version, such as `Books 2.xcdatamodel`. Xcode also writes the file without
    /// a name, when there never was more than one version.
    package var versionFolderName: String?

    package init(versionFolderName: String?) {
        self.versionFolderName = versionFolderName
    }

    /// Reads the file.
    ///
    /// - Throws: `ModelFileError` if it is no property list, or one without a dictionary.
    package init(contentsOf url: URL) throws {
        guard let data = try? BoundedFile.read(url, limit: 1 << 12),
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let values = plist as? [String: Any]
        else {
            throw ModelFileError(
                .malformed, "it is not a property list with the current version", file: url)
        }
        versionFolderName = values["_XCCurrentVersionName"] as? String
    }

    /// The bytes that Xcode writes.
    package var data: Data {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        if let versionFolderName {
            let name = versionFolderName.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                .replacing(">", with: "&gt;")
            text += "<dict>\n\t<key>_XCCurrentVersionName</key>\n\t<string>\(name)</string>\n</dict>\n"
        } else {
            text += "<dict/>\n"
        }
        return Data((text + "</plist>\n").utf8)
    }
}
