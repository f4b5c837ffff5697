import DurableFiles
import Foundation
import TestSupport
import Testing

@testable import CoreDataCommand

/// The file that `coredata store dump -o` and `export` write.
@Suite struct OutputFileTests {
    private let folder: ModelFolder
    private var store: URL { folder.url.appending(path: "Library.sqlite") }
    private var output: URL { folder.url.appending(path: "dump.json") }

    init() throws {
        folder = try ModelFolder()
        try folder.write("", to: "Library.sqlite")
    }

    private func write(_ text: String) throws {
        let file = try OutputFile(output.path, reading: store)
        try file.write(text)
        try file.finish()
    }

    @Test("A dump is on disk before it gets its name, and its folder after that", arguments: [true, false])
    func isSynced(_ isThere: Bool) throws {
        if isThere { try folder.write("old", to: "dump.json") }
        let calls = RecordedFileCalls()
        try calls.run { try write("new") }
        let wanted = [
            "write dump.json", "sync dump.json", "rename dump.json dump.json",
            "sync \(folder.url.lastPathComponent)",
        ]
        #expect(calls.calls.filter { wanted.contains($0) } == wanted)
        #expect(try String(contentsOf: output, encoding: .utf8) == "new")
    }
}
