import Foundation
import Testing

import CoreData
@testable import CoreDataSQLite

/// Files that a store names are read only if they are plain files.
@Suite struct RegularFileTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    @Test("A regular file is read")
    func regularFileIsRead() throws {
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path("plain")))
        try Data().write(to: URL(fileURLWithPath: path("empty")))
        #expect(try RegularFile.data(at: path("plain")) == Data([1, 2, 3]))
        #expect(try RegularFile.data(at: path("empty")) == Data())
    }

    @Test("A missing file gives the error that Foundation gives")
    func missingFile() throws {
        #expect(throws: DomainAndCode(domain: NSCocoaErrorDomain, code: 260)) {
            do { _ = try RegularFile.data(at: path("none")) } catch { throw (error as NSError).domainAndCode }
        }
    }

    @Test("Symbolic links, pipes and folders are refused")
    func otherFilesAreRefused() throws {
        try Data([1]).write(to: URL(fileURLWithPath: path("secret")))
        try FileManager.default.createSymbolicLink(
            atPath: path("link"), withDestinationPath: path("secret"))
        try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        for (name, code) in [("link", ELOOP), ("folder", EINVAL), ("pipe", EINVAL)] {
            #expect(throws: NSError(domain: NSPOSIXErrorDomain, code: Int(code)).domainAndCode) {
                do {
                    _ = try RegularFile.data(at: path(name))
                } catch {
                    throw (error as NSError).domainAndCode
                }
            }
        }
    }
}

extension NSError {
    fileprivate var domainAndCode: DomainAndCode { DomainAndCode(domain: domain, code: code) }
}

private struct DomainAndCode: Error, Equatable {
    let domain: String
    let code: Int
}
