import CocoaFoundation

/// What the file `VersionInfo.plist` of a compiled model says: the hashes of every version, and the current one.
struct VersionInfo {
    /// The name of the version that applications use, if there ever was a choice.
    var currentVersionName: String?
    /// For each version the version hashes of its entities.
    var versionHashes: [String: [String: Data]] = [:]
    /// For each version its checksum. Older compilers wrote none.
    var versionChecksums: [String: String] = [:]

    /// The keys of the file.
    enum Key {
        static let currentVersionName = "NSManagedObjectModel_CurrentVersionName"
        static let versionHashes = "NSManagedObjectModel_VersionHashes"
        static let versionChecksums = "NSManagedObjectModel_VersionChecksums"
    }

    static let largestFile = 1 << 24

    init() {}

    /// Reads the file, a property list in the binary or the XML format.
    ///
    /// - Throws: `ModelFileError`, without a file.
    init(_ data: Data) throws {
        let root = try PropertyListDictionary(data)
        currentVersionName = try root.text(Key.currentVersionName)
        for (version, hashes) in try root.dictionary(Key.versionHashes)?.dictionaries() ?? [:] {
            versionHashes[version] = try hashes.allData()
        }
        versionChecksums = try root.dictionary(Key.versionChecksums)?.texts() ?? [:]
    }

    /// The file in the binary format, as Apple's compiler writes it.
    func data() -> Data {
        var table = PropertyListTable()
        func dictionary<Value>(_ values: [String: Value], _ node: (Value) -> Int) -> Int {
            table.addDictionary(
                values.sorted { $0.key.utf8Precedes($1.key) }.map { (key: $0.key, value: node($0.value)) })
        }
        var entries: [(key: String, value: Int)] = []
        if !versionChecksums.isEmpty {
            let texts = dictionary(versionChecksums) { table.add(.string($0)) }
            entries.append((Key.versionChecksums, texts))
        }
        let hashes = dictionary(versionHashes) { entities in
            dictionary(entities) { table.add(.data($0)) }
        }
        entries.append((Key.versionHashes, hashes))
        if let currentVersionName {
            entries.append((Key.currentVersionName, table.add(.string(currentVersionName))))
        }
        let root = table.addDictionary(entries)
        return BinaryPropertyList(nodes: table.nodes, root: root).data()
    }
}
