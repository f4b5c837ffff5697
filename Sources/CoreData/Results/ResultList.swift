import Foundation

/// One section of results.
final class ResultSection: NSFetchedResultsSectionInfo {
    let name: String
    let members: [NSManagedObject]
    private weak var results: FetchedResults?

    init(name: String, members: [NSManagedObject], results: FetchedResults) {
        self.name = name
        self.members = members
        self.results = results
    }

    var indexTitle: String? { results?.indexTitle(name) }
    var numberOfObjects: Int { members.count }
    var objects: [Any]? { members }
}

/// Results cut into sections: runs of objects with the same section name.
struct ResultList {
    let objects: [NSManagedObject]
    let sections: [ResultSection]
    private let paths: [ObjectIdentifier: IndexPath]

    init(_ objects: [NSManagedObject], _ results: FetchedResults) {
        self.objects = objects
        guard results.sectionNameKeyPath != nil else {
            sections = [ResultSection(name: "", members: objects, results: results)]
            paths = Self.paths(sections)
            return
        }
        var runs: [(name: String, members: [NSManagedObject])] = []
        for object in objects {
            let name = results.sectionName(object)
            if runs.last?.name == name {
                runs[runs.count - 1].members.append(object)
            } else {
                runs.append((name, [object]))
            }
        }
        sections = runs.map { ResultSection(name: $0.name, members: $0.members, results: results) }
        paths = Self.paths(sections)
    }

    private static func paths(_ sections: [ResultSection]) -> [ObjectIdentifier: IndexPath] {
        var paths: [ObjectIdentifier: IndexPath] = [:]
        for (section, info) in sections.enumerated() {
            for (item, object) in info.members.enumerated() {
                paths[ObjectIdentifier(object)] = IndexPath(item: item, section: section)
            }
        }
        return paths
    }

    func indexPath(of object: NSManagedObject) -> IndexPath? { paths[ObjectIdentifier(object)] }

    func contains(_ object: NSManagedObject) -> Bool { paths[ObjectIdentifier(object)] != nil }

    var objectIDs: [NSManagedObjectID] { objects.map(\.objectID) }
}

/// The difference of two lists of results.
struct ResultDifference {
    struct Change {
        let type: NSFetchedResultsChangeType
        let object: NSManagedObject
        let old: IndexPath?
        let new: IndexPath?
    }

    private(set) var changes: [Change] = []
    private(set) var deletedSections: [(ResultSection, Int)] = []
    private(set) var insertedSections: [(ResultSection, Int)] = []

    var isEmpty: Bool { changes.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty }

    /// - Parameter changed: the objects whose values may be others; only they can have moved.
    init(from old: ResultList, to new: ResultList, changed: Set<NSManagedObject>) {
        let oldNames = Set(old.sections.map(\.name))
        let newNames = Set(new.sections.map(\.name))
        deletedSections = old.sections.enumerated().filter { !newNames.contains($1.name) }.map { ($1, $0) }
        insertedSections = new.sections.enumerated().filter { !oldNames.contains($1.name) }.map { ($1, $0) }

        for object in old.objects where !new.contains(object) {
            changes.append(Change(type: .delete, object: object, old: old.indexPath(of: object), new: nil))
        }
        for object in new.objects where !old.contains(object) {
            changes.append(Change(type: .insert, object: object, old: nil, new: new.indexPath(of: object)))
        }
        let oldPlaces = Self.places(old, changed)
        let newPlaces = Self.places(new, changed)
        for object in new.objects where changed.contains(object) && old.contains(object) {
            let isMoved = oldPlaces[ObjectIdentifier(object)] != newPlaces[ObjectIdentifier(object)]
            changes.append(
                Change(
                    type: isMoved ? .move : .update, object: object, old: old.indexPath(of: object),
                    new: new.indexPath(of: object)))
        }
    }

    /// Where a changed object stands among those that did not change, which keep their order.
    private struct Place: Equatable {
        let section: String
        /// The unchanged object before it.
        let neighbour: ObjectIdentifier?
        /// The changed objects between that one and it.
        let between: [ObjectIdentifier]
    }

    private static func places(_ list: ResultList, _ changed: Set<NSManagedObject>) -> [ObjectIdentifier:
        Place]
    {
        var places: [ObjectIdentifier: Place] = [:]
        for section in list.sections {
            var neighbour: ObjectIdentifier?
            var between: [ObjectIdentifier] = []
            for object in section.members {
                let id = ObjectIdentifier(object)
                if changed.contains(object) {
                    places[id] = Place(section: section.name, neighbour: neighbour, between: between)
                    between.append(id)
                } else {
                    neighbour = id
                    between = []
                }
            }
        }
        return places
    }
}
