import Foundation
import Testing

@Suite struct BrowseCommandTests {
    private let folder: ModelFolder

    init() throws { folder = try ModelFolder() }

    @Test("The command browse names a missing store, and refuses other files and arguments")
    func unusableStores() throws {
        let missing = try Command("browse", "--no-open", "None.sqlite", in: folder.url)
        #expect(missing.status == 2 && missing.errors.contains("None.sqlite"))
        try Data("no store".utf8).write(to: folder.url.appending(path: "Text.sqlite"))
        #expect(try Command("browse", "--no-open", "Text.sqlite", in: folder.url).status == 2)
        #expect(try Command("browse", "--port", "70000", "None.sqlite", in: folder.url).status == 64)
        #expect(try Command("browse").status == 64)
    }
}
