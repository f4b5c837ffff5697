import Foundation

/// A process that writes to a store; its program lies beside the tests.
final class OtherProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = ""

    init(_ file: URL, version: Int = 1) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("RemoteChangeRunner")
        process.arguments = [file.path, "\(version)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try expect("open")
    }

    /// Has the process do something, and waits until it is done.
    func callAsFunction(_ line: String) throws {
        input.fileHandleForWriting.write(Data("\(line)\n".utf8))
        try expect("done")
    }

    private func expect(_ word: String) throws {
        while !rest.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            rest += String(decoding: data, as: UTF8.self)
        }
        let line = rest.prefix { $0 != "\n" }
        guard line == word else { throw CocoaError(.fileReadCorruptFile) }
        rest.removeFirst(line.count + 1)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// A folder of a test's own, which goes with it.
final class TestFolder {
    let url: URL
    var store: URL { url.appendingPathComponent("Notes.sqlite") }

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "RemoteChangeTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
