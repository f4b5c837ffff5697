import CoreData
import Foundation
import Testing

/// Every type of store runs every suite that is about what it can do.
@Suite("Store compliance") struct StoreComplianceTests {
    @Test("Every store type of the framework is a kind that the suites run on")
    func types() throws {
        let kinds = Set(StoreKind.with(.isBuiltIn).map(\.type.rawValue))
        let own = try NSPersistentStoreCoordinator.registeredStoreTypes.filter { _, value in
            var address: UInt64 = 0
            value.getValue(&address)
            let found = try #require(UnsafeRawPointer(bitPattern: UInt(address)))
            // Other tests register classes of their own meanwhile.
            return !String(reflecting: unsafeBitCast(found, to: AnyClass.self)).contains("Tests.")
        }
        #expect(Set(own.keys) == kinds)
    }

    @Test("No conformance suite lists kinds by name")
    func lists() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let names = StoreKind.allCases.map(\.rawValue).joined(separator: "|")
        let list = try Regex(
            "\\[(?:StoreKind)?\\.(?:\(names))\\b[^\\]]*\\]|== \\.(?:\(names))\\b|!= \\.(?:\(names))\\b")
        var files = try FileManager.default.contentsOfDirectory(
            at: tests.appendingPathComponent("StoreConformance"), includingPropertiesForKeys: nil)
        files.append(tests.appendingPathComponent("Support/StoreKindTrait.swift"))
        // The mistakes of one format are that format's own.
        for file in files where !file.lastPathComponent.contains("Document") {
            let found = try String(contentsOf: file, encoding: .utf8).matches(of: list).map { String($0.0) }
            #expect(found == [], "\(file.lastPathComponent)")
        }
    }
}
