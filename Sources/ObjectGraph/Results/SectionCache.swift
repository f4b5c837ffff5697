import Foundation
import ManagedObjectModel

/// The input of the computed names of sections.
struct SectionFingerprint: Codable, Equatable {
    private let keyPath: String
    private let entities: [String: Data]
    private let classes: [String]
    private let stores: [String]
    private let rows: UInt64
    /// How many rows there are.
    let count: Int

    /// - Returns: nil for results whose section names do not depend on stored rows alone: with unsaved changes, in a
    ///   child context, over relationships, or without loaded rows.
    init?(
        _ objects: [NSManagedObject], _ fetch: ResolvedFetch, _ keyPath: String,
        _ context: NSManagedObjectContext
    ) {
        guard context.parentContext == nil, !keyPath.contains("."),
            fetch.entity.relationshipsByName[keyPath] == nil
        else { return nil }
        var print = RowFingerprint()
        for object in objects {
            guard let row = object.row, !object.hasChanges, !object.isInserted else { return nil }
            print.combine(row)
        }
        let entities = [fetch.entity].withSubentities
        self.keyPath = keyPath
        self.entities = Dictionary(
            entities.map { ($0.name ?? "", $0.versionHash) }, uniquingKeysWith: { first, _ in first })
        classes = entities.map(\.managedObjectClassName).sorted()
        stores = fetch.stores.map { ($0 as NSPersistentStore).identifier }
        rows = print.value
        count = objects.count
    }
}

/// Files that keep the names of sections, by the names of caches.
///
/// A file is replaced as a whole. A file that cannot be read, or does not fit, is ignored.
package struct SectionCache: Sendable {
    /// Those of this program, in the user's caches folder.
    package static let standard = SectionCache(
        folder: (FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("OpenCoreData")
            .appendingPathComponent(fileName(ProcessInfo.processInfo.processName))
            .appendingPathComponent("FetchedResults"))

    private let folder: URL
    /// The most bytes of a file that is read: names of some hundred thousand sections.
    private static let sizeLimit = 1 << 26

    private struct Contents: Codable {
        let fingerprint: SectionFingerprint
        /// The names of the sections, and how many objects are in each.
        let names: [String]
        let counts: [Int]
    }

    /// The name of each object's section; nil when they are not kept, or their input has changed.
    func names(_ cacheName: String, _ fingerprint: SectionFingerprint) -> [String]? {
        guard let size = try? file(cacheName).resourceValues(forKeys: [.fileSizeKey]).fileSize,
            size <= Self.sizeLimit, let data = try? Data(contentsOf: file(cacheName)),
            let contents = try? PropertyListDecoder().decode(Contents.self, from: data),
            contents.fingerprint == fingerprint, contents.names.count == contents.counts.count
        else { return nil }
        var names: [String] = []
        names.reserveCapacity(fingerprint.count)
        for (name, count) in zip(contents.names, contents.counts) {
            guard count > 0, count <= fingerprint.count - names.count else { return nil }
            names += repeatElement(name, count: count)
        }
        return names.count == fingerprint.count ? names : nil
    }

    /// Keeps the name of each object's section. Errors are only logged.
    func keep(_ names: [String], _ cacheName: String, _ fingerprint: SectionFingerprint) {
        var runs: (names: [String], counts: [Int]) = ([], [])
        for name in names {
            if runs.names.last == name {
                runs.counts[runs.counts.count - 1] += 1
            } else {
                runs.names.append(name)
                runs.counts.append(1)
            }
        }
        do {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            let contents = Contents(fingerprint: fingerprint, names: runs.names, counts: runs.counts)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try encoder.encode(contents).write(to: file(cacheName), options: .atomic)
        } catch {
            Log.objects.warning(
                "The section cache '\(cacheName)' could not be written: \(error.localizedDescription)")
        }
    }

    /// Deletes the cache of a name; nil for all.
    func delete(_ cacheName: String?) {
        // A missing file is already deleted.
        try? FileManager.default.removeItem(at: cacheName.map(file) ?? folder)
    }

    /// The file of a cache.
    package func file(_ cacheName: String) -> URL {
        folder.appendingPathComponent(Self.fileName(cacheName) + ".plist")
    }

    /// A file name for any string: letters and digits are kept, up to the length that file systems allow.
    private static func fileName(_ text: String) -> String {
        var name = ""
        for byte in text.utf8 {
            let character = Character(UnicodeScalar(byte))
            name +=
                character.isASCII && (character.isLetter || character.isNumber)
                ? String(character) : "_" + String(byte, radix: 16)
        }
        guard name.utf8.count > 200 else { return name }
        var print = RowFingerprint()
        Array(text.utf8).withUnsafeBytes { print.combine($0) }
        return name.prefix(180) + "_" + String(print.value, radix: 16)
    }
}
