import CoreData
import StoreTools
import TestSupport
import Testing

/// The copies of XML and binary stores, in the folder for temporary files.
@Suite struct DocumentLeftoverTests {
    private let zoo: ZooStore

    init() throws { zoo = try ZooStore() }

    /// The folder of an open store's copy.
    private func folder(_ store: OpenStore) throws -> URL {
        try #require(store.store.url).deletingLastPathComponent()
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    @Test(
        "The temporary copy of a store is removed when the store is closed",
        arguments: [StoreFileType.xml, .binary])
    func theCopyIsRemovedWhenTheStoreIsClosed(_ type: StoreFileType) throws {
        let store = try OpenStore(zoo.document(type), model: Zoo.model(plain: true))
        // Somebody still reads when a program ends.
        let (coordinator, folder) = (store.coordinator, try folder(store))
        #expect(exists(folder.appendingPathComponent("Copy.sqlite")))
        try store.close()
        #expect(!exists(folder) && coordinator.persistentStores.isEmpty)
    }

    @Test(
        "Opening a store removes temporary copies of ended processes, but not those of live ones",
        .timeLimit(.minutes(40)))
    func copiesOfEndedProcessesAreRemoved() async throws {
        let leftover = FileManager.default.temporaryDirectory
            .appendingPathComponent("coredata-copy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: leftover, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: leftover) }
        // Another test may be the next one.
        try? Data("old".utf8).write(to: leftover.appendingPathComponent("Copy.sqlite"))

        let url = try zoo.document(.xml)
        let first = try OpenStore(url, model: Zoo.model(plain: true))
        while exists(leftover) { try await Task.sleep(for: .milliseconds(10)) }
        // The one of a process that runs stays.
        let second = try OpenStore(url, model: Zoo.model(plain: true))
        #expect(try exists(folder(first)) && exists(folder(second)))
        try first.close()
        #expect(try exists(folder(second)))
        try second.close()
    }
}
