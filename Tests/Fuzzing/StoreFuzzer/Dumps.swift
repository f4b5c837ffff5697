import CoreData
import FuzzerDriver
import StoreTools

/// JSON, and what of stores is in it.
enum Dumps {
    static var subjects: [FuzzedSubject] { [json, dumps] }

    private static var json: FuzzedSubject {
        FuzzedSubject("json") { data in
            guard let text = String(validating: data, as: UTF8.self) else { return }
            _ = try JSONValue(parsing: text)
        }
    }

    /// Dumps, which are read from files, piece by piece.
    private static var dumps: FuzzedSubject {
        let folder = ScratchFolder()
        return FuzzedSubject("dumps") { data in
            let reader = try DumpReader(folder.file("dump.json", data))
            _ = try reader.header()
            try reader.forEachObject { _, _, _ in }
        }
    }
}
