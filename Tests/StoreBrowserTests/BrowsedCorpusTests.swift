import CoreData
import Foundation
import Hummingbird
import HummingbirdTesting
import StoreTools
import TestSupport
import Testing

/// Stores that Apple's framework made, opened and looked at as the page does.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct BrowsedCorpusTests {
    private static let stores =
        Corpus.files(under: "stores").filter { path in
            let handle = FileHandle(forReadingAtPath: Corpus.url(path).path)
            return (try? handle?.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
        }
        + ["xmlstores", "binstores"].flatMap(Corpus.files(under:)).filter {
            StoreFileType(Corpus.url($0)) != .sqlite
        }

    /// A folder with a copy of a store, which goes with it.
    private final class Copy {
        let folder: URL
        let url: URL

        init(_ path: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(
                path: "StoreBrowser-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let source = Corpus.url(path)
            url = folder.appending(path: source.lastPathComponent)
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
                try FileManager.default.copyItem(atPath: source.path + suffix, toPath: url.path + suffix)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    @Test("Rows, objects, groups, history, facts and words of every store of the corpus are shown")
    func everyStoreIsShown() async throws {
        #expect(Self.stores.count > 30)
        for path in Self.stores {
            let copy: Copy
            do {
                copy = try Copy(path)
                try await TestPage.with(copy.url) { page in try await look(at: page, path) }
            } catch {
                Issue.record("\(path): \(error.localizedDescription)")
                continue
            }
            withExtendedLifetime(copy) {}
        }
    }

    /// Looks at the first page of each entity, one object, and a chart.
    private func look(at page: TestPage, _ path: String) async throws {
        let shape = try await page.read("/api/store", as: Answers.Shape.self)
        for entity in shape.entities {
            let name = entity.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let sort = entity.attributes.first { $0.isSortable }
            let order = sort.map { "&sort=\($0.name)&descending=1" } ?? ""
            let answer = try await page.get("/api/rows?entity=\(name)&limit=20\(order)")
            #expect(
                answer.status == .ok, "\(path) \(entity.name): \(String(buffer: answer.body).prefix(300))")
            guard answer.status == .ok else { continue }
            let rows = try JSONDecoder().decode(Answers.Page.self, from: Data(answer.body.readableBytesView))
            if let first = rows.rows.first {
                let id = first.id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                let object = try await page.get("/api/object?id=\(id)")
                #expect(
                    object.status == .ok, "\(path) \(first.id): \(String(buffer: object.body).prefix(300))")
            }
            if let by = entity.attributes.first(where: \.isGroupable) {
                let groups = try await page.get("/api/groups?entity=\(name)&by=\(by.name)")
                #expect(groups.status == .ok, "\(path) \(entity.name).\(by.name)")
            }
        }
        for view in ["history", "facts", "search?all=1&words=a*%20OR%20the"] {
            let answer = try await page.get("/api/\(view)")
            #expect(answer.status == .ok, "\(path) \(view): \(String(buffer: answer.body).prefix(300))")
        }
    }
}
