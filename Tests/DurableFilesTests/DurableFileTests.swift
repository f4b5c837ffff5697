import DurableFiles
import Foundation
import TestSupport
import Testing

/// A folder of a test's own, which is removed with it.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "DurableFilesTests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    func mode(_ name: String) throws -> mode_t? { try FileAttributes(of: file(name))?.mode }
}

@Suite("Files are written durably") struct DurableFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test("A file is synced before its rename, and its folder after it")
    func orderOfCalls() throws {
        try Data("old".utf8).write(to: folder.file("F"))
        let calls = RecordedFileCalls()
        try calls.run { try DurableFile.write(Data("new".utf8), to: folder.file("F")) }
        let wanted = ["write F", "sync F", "rename F F", "sync \(folder.url.lastPathComponent)"]
        #expect(calls.calls.filter { wanted.contains($0) } == wanted)
        #expect(try Data(contentsOf: folder.file("F")) == Data("new".utf8))
        #expect(try folder.names == ["F"])
    }

    @Test("After any failed call the file is old or new, and cleaning up leaves no draft")
    func everyFault() throws {
        let file = folder.file("F")
        func write(_ fault: RecordedFileCalls.Fault) throws -> (calls: Int, isDone: Bool) {
            try Data("old".utf8).write(to: file)
            let calls = RecordedFileCalls(fault)
            var isDone = true
            do {
                try calls.run { try DurableFile.write(Data("new".utf8), to: file) }
            } catch {
                isDone = false
            }
            return (calls.calls.count, isDone)
        }
        let count = try write(.none).calls
        #expect(count > 8)
        for number in 1...count {
            for fault in [RecordedFileCalls.Fault.error(number, ENOSPC), .error(number, EIO), .death(number)]
            {
                let outcome = try write(fault)
                let found = try String(contentsOf: file, encoding: .utf8)
                #expect(found == "new" || found == "old" && !outcome.isDone, "\(fault)")
                #expect(FileDraft.removeLeftovers(of: file).isEmpty)
                #expect(try folder.names == ["F"], "\(fault)")
            }
        }
    }

    @Test("A replaced file keeps its mode and owner, and a new one has the default mode")
    func attributes() throws {
        try Data("old".utf8).write(to: folder.file("F"))
        for mode: mode_t in [0o600, 0o640, 0o444, 0o666] {
            chmod(folder.file("F").path, mode)
            if geteuid() == 0 { chown(folder.file("F").path, 65534, 65534) }
            let before = try FileAttributes(of: folder.file("F"))
            try DurableFile.write(Data("new".utf8), to: folder.file("F"))
            #expect(try FileAttributes(of: folder.file("F")) == before)
        }
        try Data().write(to: folder.file("plain"))
        try DurableFile.write(Data(), to: folder.file("new"))
        #expect(try folder.mode("new") == folder.mode("plain"))
    }

    @Test("Writing and removing through a symbolic link changes its target, even a missing one")
    func links() throws {
        try FileManager.default.createDirectory(at: folder.file("there"), withIntermediateDirectories: false)
        symlink("there/F", folder.file("L").path)
        for text in ["first", "second"] {
            try DurableFile.write(Data(text.utf8), to: folder.file("L"))
            #expect(try FileKind(at: folder.file("L").path) == .link)
            #expect(try String(contentsOf: folder.file("there/F"), encoding: .utf8) == text)
        }
        #expect(try DurableFile.remove(folder.file("L")))
        #expect(try folder.names == ["L", "there"])
        #expect(try FileKind(at: folder.file("there/F").path) == .missing)
    }

    @Test("Symbolic links that lead to each other are an error")
    func circle() throws {
        symlink("B", folder.file("A").path)
        symlink("A", folder.file("B").path)
        #expect(throws: FileError(call: "open", path: folder.file("A").path, code: ELOOP)) {
            do {
                _ = try folder.file("A").followingLinks()
            } catch let error as FileError {
                throw FileError(call: error.call, path: folder.file("A").path, code: error.code)
            }
        }
    }

    @Test(
        "A file that is not a regular one is neither replaced nor removed",
        arguments: ["pipe", "folder", "socket"])
    func onlyRegularFiles(_ kind: String) throws {
        let place = folder.file("P")
        switch kind {
        case "pipe": #expect(mkfifo(place.path, 0o600) == 0)
        case "folder": try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        default: try makeSocket(place)
        }
        symlink("P", folder.file("L").path)
        let before = try FileKind(at: place.path)
        for name in ["P", "L"] {
            #expect(throws: FileError.self) { try DurableFile.write(Data(), to: folder.file(name)) }
            #expect(throws: FileError.self) { try DurableFile.remove(folder.file(name)) }
        }
        #expect(try FileKind(at: place.path) == before)
        #expect(try folder.names == ["L", "P"])
    }

    private func makeSocket(_ url: URL) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = url.path
        try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        #expect(result == 0)
    }

    @Test("A device is neither replaced nor removed", .enabled(if: geteuid() == 0))
    func devices() throws {
        // One of this folder's own, which leads to the system's null device.
        let place = folder.file("null")
        try #require(mknod(place.path, S_IFCHR | 0o666, 1 << 8 | 3) == 0)
        #expect(throws: FileError.self) { try DurableFile.write(Data(), to: place) }
        #expect(throws: FileError.self) { try DurableFile.remove(place) }
        #expect(try FileKind(at: place.path) == .special(name: "a device"))
    }

    @Test("The draft of an ended process is removed, and that of a running one stays")
    func leftovers() throws {
        let draft = try FileDraft(for: folder.file("F"))
        try Data("draft".utf8).write(to: draft.url)
        #expect(FileDraft.removeLeftovers(of: folder.file("F")).isEmpty)
        #expect(try String(contentsOf: draft.url, encoding: .utf8) == "draft")
        draft.discard()
        let dead = folder.file(".F.\(UUID().uuidString)")
        let other = folder.file(".G.\(UUID().uuidString)")
        let strange = folder.file(".F.\(UUID().uuidString)")
        for url in [dead, other, strange] {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data().write(to: url.appendingPathComponent("F-journal"))
        }
        symlink("elsewhere", strange.appendingPathComponent("link").path)
        #expect(FileDraft.removeLeftovers(of: folder.file("F")).isEmpty)
        #expect(try folder.names == [other, strange].map(\.lastPathComponent).sorted())
        #expect(try FileKind(at: strange.path + "/link") == .link)
    }

    @Test("A write without a free file descriptor leaves nothing behind")
    func noDescriptors() throws {
        try Data("old".utf8).write(to: folder.file("F"))
        let count = RecordedFileCalls()
        try count.run { try DurableFile.write(Data("new".utf8), to: folder.file("F")) }
        for (number, call) in count.calls.enumerated()
        where call.hasPrefix("open ") || call.hasPrefix("create ") {
            try Data("old".utf8).write(to: folder.file("F"))
            let calls = RecordedFileCalls(.error(number + 1, EMFILE))
            #expect(throws: FileError.self) {
                try calls.run { try DurableFile.write(Data("new".utf8), to: folder.file("F")) }
            }
            #expect(try folder.names == ["F"], "\(call)")
        }
    }

    @Test("A folder whose replacement was interrupted is restored or new")
    func formerFolder() throws {
        let target = folder.file("M.momd")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        try Data("old".utf8).write(to: target.appendingPathComponent("M.mom"))
        func write(_ fault: RecordedFileCalls.Fault) throws -> Int {
            let calls = RecordedFileCalls(fault)
            try? calls.run {
                let draft = try FileDraft(for: target, isFolder: true)
                try DurableFile.makeFolder(draft.url)
                try DurableFile.make(
                    draft.url.appendingPathComponent("M.mom"), Data("new".utf8), attributes: nil)
                try draft.placeFolder(replacing: true)
            }
            return calls.calls.count
        }
        let count = try write(.none)
        for number in 1...count {
            _ = try write(.death(number))
            #expect(FileDraft.removeLeftovers(of: target).isEmpty)
            #expect(try folder.names == ["M.momd"], "\(number)")
            let found = try Data(contentsOf: target.appendingPathComponent("M.mom"))
            #expect(found == Data("old".utf8) || found == Data("new".utf8))
            try Data("old".utf8).write(to: target.appendingPathComponent("M.mom"))
        }
    }
}
