import CoreDataSQL
import CoreData
import CoreDataSQLite

/// Finds what is broken in a store, without changing it.
///
/// An error is what keeps objects from being read, or a save from being right; a warning is what Apple's framework lets
/// pass.
package struct StoreCheck {
    private let url: URL
    private let model: NSManagedObjectModel?

    /// - Parameter model: the model; nil for the copy that the store holds. Without either, only what can be known
    ///   without one is checked.
    package init(_ url: URL, model: NSManagedObjectModel? = nil) {
        self.url = url
        self.model = model
    }

    /// - Parameter progress: gets the name of what is checked next, and how much of the whole is done, 0 to 1.
    /// - Throws: an error when the file is not a store, or cannot be read at all.
    package func findings(progress: (String, Double) -> Void = { _, _ in }) throws -> [StoreFinding] {
        let type = StoreFileType(url)
        guard type == .sqlite else {
            return try DocumentCheck(url: url, type: type, model: model).findings(progress: progress)
        }
        var findings: [StoreFinding] = []
        do {
            try check(&findings, progress)
        } catch {
            guard let damage = StoreFinding(damageIn: error, url) else { throw error }
            findings.append(damage)
        }
        return findings
    }

    private func check(_ findings: inout [StoreFinding], _ progress: (String, Double) -> Void) throws {
        let tables = SQLiteStoreTables(url)
        let database = DatabaseCheck(tables)
        progress("database", 0)
        findings += try database.damage()
        guard findings.isEmpty else { return }
        findings += try database.formatTables()
        guard findings.isEmpty else { return }
        do {
            _ = try tables.metadata()
        } catch let error as NSError where error.code == CocoaError.Code.persistentStoreOpen.rawValue {
            findings.append(StoreFinding(.error, .unreadableMetadata, error.localizedDescription))
            return
        }
        findings += try tables.inspect { try PrimaryKeyCheck($0, $1).findings() }
        findings += try database.foreignTriggers()
        findings += try database.spatialIndexes()
        findings += try tables.inspect { try HistoryCheck($0, $1).findings() }
        guard let open = try openStore(&findings) else { return }
        defer { try? open.close() }
        try open.store.withContents { contents in
            let entities = contents.schema.entities
            for (index, entity) in entities.enumerated() {
                progress(entity.name, Double(index + 1) / Double(entities.count + 2))
                findings += try EntityCheck(contents, entity).findings()
                findings += try RelationshipCheck(contents, entity).findings()
            }
            progress("join tables", Double(entities.count + 1) / Double(entities.count + 2))
            findings += try JoinTableCheck(contents).findings()
            // The tables do not show which data may be in files.
            if !open.model.isReconstructed {
                findings += try ExternalDataCheck(contents, files: tables.externalFileNames()).findings()
            }
            findings += try contents.unsupportedFeatures().map {
                StoreFinding(
                    .warning, .unsupportedFeature, "the store is opened read-only here: it has \($0)")
            }
        }
    }

    /// Opens the store with its model; nil, with a finding, when that cannot be done.
    private func openStore(_ findings: inout [StoreFinding]) throws -> OpenStore? {
        do {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        } catch let error as NSError {
            if error.code != CocoaError.Code.coreData.rawValue {
                let open = model == nil ? try? OpenStore(url, model: nil) : nil
                let use =
                    open == nil
                    ? ""
                    : " Rows are checked with a model that was made from the tables: give the real one with --model."
                findings.append(
                    StoreFinding(.error, .unreadableModel, "\(error.localizedDescription)\(use)"))
                if model == nil { return open }
            } else if model == nil {
                return openWithoutModel(&findings)
            }
        }
        do {
            return try OpenStore(url, model: model)
        } catch let error as NSError {
            let isOfTables = error.code == CocoaError.Code.persistentStoreIncompatibleSchema.rawValue
            findings.append(
                StoreFinding(.error, isOfTables ? .missingTable : .modelMismatch, error.localizedDescription))
            return nil
        }
    }

    /// Opens the store with a model that is made from its tables.
    private func openWithoutModel(_ findings: inout [StoreFinding]) -> OpenStore? {
        let missingModelNotice = "the store holds no copy of its model"
        do {
            let open = try OpenStore(url, model: nil)
            findings.append(
                StoreFinding(
                    .warning, .noModel,
                    """
                    \(missingModelNotice); rows are checked with a model that was made from the tables, which lacks some relationships: \
                    give the real one with --model
                    """))
            return open
        } catch {
            findings.append(
                StoreFinding(
                    .warning, .noModel,
                    "\(missingModelNotice); give the model with --model to have rows checked. \(error.localizedDescription)"
                ))
            return nil
        }
    }
}
