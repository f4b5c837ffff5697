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
    /// - Throws: `ModelFileError` if it is not a property list, or one without a dictionary, or if the name in it is
    ///   not a string.
    package init(contentsOf url: URL) throws {
        do {
            let list = try PropertyListDictionary(BoundedFile.read(url, limit: Self.largestFile))
            versionFolderName = try list.text(Self.key)
        } catch let error as ModelFileError {
            throw error.inFile(url)
        }
    }

    private static let key = "_XCCurrentVersionName"
    private static let largestFile = 1 << 16

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
            text += "<dict>\n\t<key>\(Self.key)</key>\n\t<string>\(name)</string>\n</dict>\n"
        } else {
            text += "<dict/>\n"
        }
        return Data((text + "</plist>\n").utf8)
    }
}
