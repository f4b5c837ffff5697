import CoreData
import GRDB
import StoreTools
import TestSupport
import Testing

/// Stores that Apple's framework made.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct StoreCorpusTests {
    private static let stores = Corpus.files(under: "stores").filter { path in
        let handle = FileHandle(forReadingAtPath: Corpus.url(path).path)
        return (try? handle?.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }

    /// Stores that are broken, and how.
    private static let broken: [(path: String, codes: Set<StoreFinding.Code>)] = [
        // Kept without the folder of their external data.
        ("store1-24.wiredatabase", [.missingFile]), ("store2-30-0.wiredatabase", [.missingFile]),
    ]

    /// A folder with a copy of a store.
    private final class Copy {
        let folder: URL
        let url: URL

        init(_ path: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "StoreTools-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let source = Corpus.url(path)
            url = folder.appending(path: source.lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
                try FileManager.default.copyItem(atPath: source.path + suffix, toPath: url.path + suffix)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// What is in the folder, by name.
        func contents() throws -> [String: Data] {
            Dictionary(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
                    ($0, try Data(contentsOf: folder.appending(path: $0)))
                }, uniquingKeysWith: { a, _ in a })
        }
    }

    /// The rows of each entity, counted by plain SQL.
    private func counts(_ url: URL) throws -> [String: Int] {
        let copy = url.deletingLastPathComponent().appending(path: "counted-\(UUID().uuidString)")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: url.path + suffix) {
            try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        }
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: copy.path + suffix)
            }
        }
        let queue = try DatabaseQueue(path: copy.path)
        defer { try? queue.close() }
        return try queue.read { database in
            var counts: [String: Int] = [:]
            var roots: [Int: String] = [:]
            let rows = try GRDB.Row.fetchAll(
                database,
                sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
            for row in rows {
                let (number, name, parent): (Int, String, Int) = (row[0], row[1], row[2] ?? 0)
                // Superentities have lower numbers.
                let root = roots[parent] ?? name
                roots[number] = root
                counts[name] = try Int.fetchOne(
                    database, sql: "SELECT count(*) FROM \"Z\(root.uppercased())\" WHERE Z_ENT = \(number)")
            }
            return counts
        }
    }

    @Test("Apple's stores are counted, checked and dumped as they are, and stay unchanged")
    func storesAreCountedCheckedAndDumped() throws {
        var (reported, objects, dumped, checked) = (0, 0, 0, 0)
        for path in Self.stores {
            let copy = try Copy(path)
            let before = try copy.contents()
            let expected = try counts(copy.url)
            let report = try StoreReport(copy.url)
            let found = Dictionary(
                report.entities.map { ($0.name, $0.count) }, uniquingKeysWith: { a, _ in a })
            #expect(found == expected, "\(path)")
            reported += 1
            objects += found.values.reduce(0, +)

            let errors = Set(try StoreCheck(copy.url).findings().filter { $0.severity == .error }.map(\.code))
            let known = Self.broken.first { path.contains($0.path) }?.codes ?? []
            #expect(errors == known, "\(path)")
            if errors.isEmpty { checked += 1 }

            if report.hasModelCache {
                var lines: [String: Int] = [:]
                let source = try OpenStore(copy.url, model: nil)
                _ = try StoreDump(source).write { text in
                    for line in text.split(separator: "\n") where line.hasPrefix("{\"objectID\":\"") {
                        let name = line.dropFirst(13).prefix { $0 != "/" }
                        lines[String(name), default: 0] += 1
                    }
                }
                try source.close()
                #expect(lines == expected.filter { $0.value > 0 }, "\(path)")
                dumped += 1
            }
            #expect(try copy.contents() == before, "\(path) was changed")
        }
        print(
            "\(reported) of \(Self.stores.count) stores told, \(objects) objects, \(dumped) dumped, \(checked) sound"
        )
        #expect(reported == Self.stores.count && reported > 50 && dumped > 38 && checked > 50)
    }

    @Test("Dumps of Apple's stores make the same stores, to which they may be added again")
    func dumpsMakeTheSameStoresAgain() throws {
        var (made, doubled) = (0, 0)
        for path in Self.stores {
            let copy = try Copy(path)
            guard try StoreReport(copy.url).hasModelCache else { continue }
            // What is in files that are not there cannot come back.
            guard !Self.broken.contains(where: { path.contains($0.path) }) else { continue }
            func dump(_ url: URL) throws -> Data {
                var text = ""
                let source = try OpenStore(url, model: nil)
                _ = try StoreDump(source).write { text += $0 }
                try source.close()
                return Data(text.utf8)
            }
            let first = try dump(copy.url)
            let file = copy.folder.appending(path: "dump.json")
            try first.write(to: file)
            let again = copy.folder.appending(path: "Again.sqlite")
            let outcome = try DumpImport(file).make(again, model: nil)
            #expect(outcome.skippedRows == [], "\(path)")
            #expect(try dump(again) == first, "\(path)")
            #expect(try !StoreCheck(again).findings().contains { $0.severity == .error }, "\(path)")
            made += 1
            if try addAgain(file, to: again, path) { doubled += 1 }
        }
        print("\(made) stores made again of their dumps, to \(doubled) of which the dump was added as well")
        #expect(made > 38 && doubled > 25)
    }

    /// Adds the objects of a dump to the store that was made of it; false where constraints keep them out.
    private func addAgain(_ dump: URL, to url: URL, _ path: String) throws -> Bool {
        let before = try counts(url)
        do {
            #expect(try DumpImport(dump).add(to: url, model: nil).skippedRows == [], "\(path)")
        } catch let error as NSError
            where error.code == CocoaError.Code.managedObjectConstraintMerge.rawValue
        {
            #expect(try counts(url) == before, "\(path)")
            return false
        }
        #expect(try counts(url) == before.mapValues { $0 * 2 }, "\(path)")
        #expect(try !StoreCheck(url).findings().contains { $0.severity == .error }, "\(path)")
        return true
    }

    /// Old stores, which hold no copy of their model.
    @Test(
        "An old store is read with a reconstructed model or its own",
        arguments: [
            (
                "stores/bandhavivinay+TavantTrade_iPad/Model.sqlite",
                "models/bandhavivinay+TavantTrade_iPad/Model.xcdatamodeld"
            ),
            (
                "stores/yepher+CoreDataUtility/TestFiles/fetchRequest.sqlite",
                "mom/yepher+CoreDataUtility/TestFiles/fetchRequest.mom"
            ),
        ])
    func oldStoresAreReadWithTheirModel(_ path: String, _ model: String) throws {
        let copy = try Copy(path)
        let expected = try counts(copy.url)
        let reconstructed = try OpenStore(copy.url, model: nil)
        #expect(reconstructed.model.isReconstructed)
        for entity in reconstructed.entities where entity.storedEntity.entity.subentities.isEmpty {
            #expect(try StoreQuery(reconstructed, entity: entity.name).count() == expected[entity.name])
        }
        try reconstructed.close()
        let source = try OpenStore(copy.url, model: NSManagedObjectModel(loading: Corpus.url(model)))
        for entity in source.entities where entity.storedEntity.entity.subentities.isEmpty {
            #expect(try StoreQuery(source, entity: entity.name).count() == expected[entity.name])
        }
        let file = copy.folder.appending(path: "dump.json")
        var text = ""
        _ = try StoreDump(source).write { text += $0 }
        try Data(text.utf8).write(to: file)
        try source.close()
        let again = copy.folder.appending(path: "Again.sqlite")
        #expect(try DumpImport(file).make(again, model: nil).count == expected.values.reduce(0, +))
        #expect(try StoreReport(again).entities.allSatisfy { $0.count == expected[$0.name] })
    }
}
