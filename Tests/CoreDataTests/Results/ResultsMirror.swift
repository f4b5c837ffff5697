import CoreData
import Testing

/// Keeps a list right by what a results controller reports alone, as a table on a screen does.
final class ResultsMirror: NSObject, NSFetchedResultsControllerDelegate {
    struct Section: Equatable {
        var name: String
        var objects: [NSManagedObject]
    }

    private(set) var sections: [Section] = []
    private var deletions: [IndexPath] = []
    private var insertions: [(IndexPath, NSManagedObject)] = []
    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var updates: [(IndexPath, NSManagedObject)] = []
    private(set) var reports = 0

    /// Takes over what a controller shows.
    func begin<Result>(_ controller: NSFetchedResultsController<Result>) {
        sections = Self.content(controller)
    }

    /// Counts the reports anew.
    func forgetReports() { reports = 0 }

    static func content<Result>(_ controller: NSFetchedResultsController<Result>) -> [Section] {
        (controller.sections ?? []).map {
            Section(name: $0.name, objects: ($0.objects ?? []).compactMap { $0 as? NSManagedObject })
        }
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        #expect(Self.content(controller) == sections)
        (deletions, insertions, updates) = ([], [], [])
        (deletedSections, insertedSections) = ([], [])
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        if type == .delete {
            #expect(sections[sectionIndex].name == sectionInfo.name)
            #expect(sectionInfo.objects?.isEmpty == true)
            deletedSections.append(sectionIndex)
        } else {
            insertedSections.append((sectionIndex, sectionInfo.name))
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else {
            Issue.record("a change of no object")
            return
        }
        if let indexPath { #expect(sections[indexPath.section].objects[indexPath.item] === object) }
        switch (type, indexPath, newIndexPath) {
        case (.insert, nil, let new?): insertions.append((new, object))
        case (.delete, let old?, nil): deletions.append(old)
        case (.move, let old?, let new?):
            deletions.append(old)
            insertions.append((new, object))
        case (.update, _?, let new?): updates.append((new, object))
        default: Issue.record("\(type) from \(String(describing: indexPath))")
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        reports += 1
        for path in deletions.sorted().reversed() { sections[path.section].objects.remove(at: path.item) }
        for index in deletedSections.reversed() { sections.remove(at: index) }
        for (index, name) in insertedSections {
            sections.insert(Section(name: name, objects: []), at: index)
        }
        for (path, object) in insertions.sorted(by: { $0.0 < $1.0 }) {
            sections[path.section].objects.insert(object, at: path.item)
        }
        for (path, object) in updates { #expect(sections[path.section].objects[path.item] === object) }
        #expect(Self.content(controller) == sections)
    }
}

/// Keeps a list up to date by differences alone. It keeps objects: a save gives them other IDs, which is
/// not a difference.
final class DifferenceMirror: NSObject, NSFetchedResultsControllerDelegate {
    var objects: [NSManagedObject] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        let context = controller.managedObjectContext
        for case .remove(let offset, let id, _) in diff.removals.reversed() {
            let removed = objects.remove(at: offset)
            #expect(removed.objectID == id)
        }
        for case .insert(let offset, let id, _) in diff.insertions {
            objects.insert(context.object(with: id), at: offset)
        }
        let content = controller.sections?.first?.objects as? [NSManagedObject]
        #expect(objects == content)
    }
}

/// Takes over snapshots.
final class SnapshotMirror: NSObject, NSFetchedResultsControllerDelegate {
    private(set) var snapshots: [FetchedResultsSnapshot] = []
    private(set) var single = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        snapshots.append(snapshot)
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        single += 1
    }
}
