import CoreData
import GRDB
import StoreTools
import TestSupport
import Testing

/// What tools do with the file of a store that this process has open leaves the locks of the store alone.
@Suite(.enabled(if: ProcessLocks.areListed)) struct StoreLockTests {
    private let zoo: ZooStore

    init() throws { zoo = try ZooStore() }

    /// Of every command, what it calls.
    private func calls() -> [(name: String, call: () throws -> Void)] {
        let (url, folder) = (zoo.url, zoo.folder)
        func opened(_ body: (OpenStore) throws -> Void) throws {
            let source = try OpenStore(url, model: nil)
            defer { try? source.close() }
            try body(source)
        }
        return [
            ("info", { _ = try StoreReport(url) }),
            ("schema", { try opened { _ = try StoreSchemaReport($0) } }),
            ("schema --sql", { _ = try StoreSchemaReport.statements(of: url) }),
            ("check", { _ = try StoreCheck(url).findings() }),
            ("dump", { try opened { _ = try StoreDump($0).write { _ in } } }),
            ("export", { try opened { _ = try StoreExport($0, format: .csv).write("Item") { _ in } } }),
            (
                "query",
                { try opened { try StoreListing($0, entities: ["Item"]).forEachObject { _, _, _ in } } }
            ),
            (
                "search",
                {
                    let search = try StoreTextSearch(url, model: nil, attributes: .all)
                    _ = try search.context.performAndWait { try search.find(StoreTextSearch.Request("a")) }
                    try search.close()
                }
            ),
            ("diff", { try opened { old in try opened { _ = try StoreComparison(old, $0).count() } } }),
            ("metadata", { _ = try StoreMetadata(url).values() }),
            ("metadata of a page", { _ = try StoreMetadata(url).tracedValues() }),
            ("metadata --set", { try StoreMetadata(url).change(setting: ["a": .string("b")], removing: []) }),
            ("metadata --remove", { try StoreMetadata(url).change(setting: [:], removing: ["a"]) }),
            ("prepare-for-apple", { _ = try ForeignTriggers.names(in: url) }),
            ("prepare-for-apple, changing", { _ = try ForeignTriggers.drop(from: url) }),
            ("browse --write", { try OpenStore(url, model: nil, isReadOnly: false).close() }),
            ("import of the store itself", { _ = try DumpReader(url).header() }),
            (
                "import into it",
                {
                    let dump = folder.appending(path: "dump.json")
                    try opened { source in
                        var text = ""
                        _ = try StoreDump(source).write { text += $0 }
                        try Data(text.utf8).write(to: dump)
                    }
                    _ = try DumpImport(dump).make(folder.appending(path: "New.sqlite"), model: nil)
                }
            ),
            ("type", { #expect(StoreFileType(url) == .sqlite) }),
            ("whether it is a store", { #expect(StoreFileReader.isDatabase(url.path)) }),
            ("a model", { #expect(NSManagedObjectModel(contentsOf: url) == nil) }),
        ]
    }

    @Test("The calls of every command leave the locks of an open store in place")
    func commands() throws {
        let open = try OpenStore(zoo.url, model: nil, isReadOnly: false)
        let before = try ProcessLocks.on(zoo.url)
        try #require(!before.isEmpty)
        for (name, call) in calls() {
            do {
                try call()
                #expect(name != "import of the store itself")
            } catch {
                // What needs more than a store must fail without harm, too.
                #expect(
                    ["import of the store itself", "import into it"].contains(name), "\(name): \(error)")
            }
            #expect(try ProcessLocks.on(zoo.url) == before, "\(name)")
        }
        try open.close()
    }
}
