import CoreData

/// The types of stores that are files, recognized by the first bytes of the files.
package enum StoreFileType: String, CaseIterable, Sendable {
    case sqlite, xml, binary

    /// The type of a file. A file that is not a store counts as SQLite, whose opening reports what is wrong with it.
    package init(_ url: URL) {
        self = .sqlite
        guard let start = StoreFileReader.start(of: url.path, count: 256) else { return }
        if start.starts(with: Data("CoreData".utf8)) {
            self = .binary
        } else if start.first(where: { !Self.spaceBeforeXML.contains($0) }) == UInt8(ascii: "<") {
            self = .xml
        }
    }

    /// Space, and the mark of byte order.
    private static let spaceBeforeXML: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D]

    /// Apple's name of the type.
    package var storeType: String {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .xml: NSXMLStoreType
        case .binary: NSBinaryStoreType
        }
    }

    /// Such a store, for messages.
    package var description: String {
        switch self {
        case .sqlite: "a SQLite store"
        case .xml: "an XML store"
        case .binary: "a binary store"
        }
    }
}
