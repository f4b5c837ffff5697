import CoreData
import Foundation

/// Reading models of Xcode, as they are in `contents` files and compiled, where there is a collection of them.
///
/// It lies where `OPENCOREDATA_CORPUS` says, or beside the package.
enum Models {
    static func reading() -> Workload? {
        let named = ProcessInfo.processInfo.environment["OPENCOREDATA_CORPUS"]
        let root = named.map { URL(filePath: $0) } ?? URL(filePath: "../shared/corpus")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
            .compactMap { $0 as? URL }
            .filter {
                $0.lastPathComponent == "contents" && $0.path.contains(".xcdatamodel/")
                    || $0.pathExtension == "mom"
            }
        guard let files, !files.isEmpty else { return nil }
        return Workload(
            name: "read \(files.count) models",
            contestants: [
                .init(name: "their bytes") { try files.count { try !Data(contentsOf: $0).isEmpty } },
                .init(name: "NSManagedObjectModel(contentsOf:)") {
                    files.count { NSManagedObjectModel(contentsOf: $0) != nil }
                },
            ])
    }
}
