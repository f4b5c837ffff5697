import Foundation
import Testing

@Suite struct EditCommandTests {
    private let folder: ModelFolder

    init() throws { folder = try ModelFolder() }

    @Test("The command edit names a missing, unsuitable or existing model")
    func unusableModels() throws {
        let missing = try Command("edit", "--no-open", "None.xcdatamodeld", in: folder.url)
        #expect(missing.status == 2 && missing.errors.contains("None.xcdatamodeld"))
        let other = try Command("edit", "--no-open", "Library.txt", in: folder.url)
        #expect(other.status == 2 && other.errors.contains("Library.txt") && other.errors.contains(".momd"))
        let present = try Command("edit", "--no-open", "--new", folder.model)
        #expect(present.status == 2 && present.errors.contains("already"))
        #expect(try Command("edit", "--port", "70000", folder.model).status == 64)
        #expect(try Command("edit").status == 64)
    }

    @Test("The command edit prints an address with a token, and ends when terminated")
    func editPrintsAnAddressAndEndsWhenTerminated() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("coredata")
        process.arguments = [
            "edit", "--no-open", "--new", folder.url.appending(path: "New.xcdatamodeld").path,
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var text = Data()
        while !text.contains(UInt8(ascii: "\n")) {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            text += piece
        }
        let line = String(decoding: text, as: UTF8.self)
        #expect(line.contains(/http:\/\/127\.0\.0\.1:[0-9]+\/\?token=[0-9a-f]{64}/), "\(line)")
        #expect(folder.exists("New.xcdatamodeld/New.xcdatamodel/contents"))
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
