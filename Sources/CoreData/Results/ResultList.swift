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
        let kept = old.objects.filter(new.contains)
        let unmoved = Self.unmoved(
            old.places(kept, changed), new.places(new.objects.filter(old.contains), changed))
        for object in new.objects where changed.contains(object) && old.contains(object) {
            changes.append(
                Change(
                    type: unmoved.contains(ObjectIdentifier(object)) ? .update : .move, object: object,
                    old: old.indexPath(of: object), new: new.indexPath(of: object)))
        }
    }

    /// Which changed objects need not move: as many as can stay where they are between those that did not change.
    private static func unmoved(
        _ old: [ResultList.Gap: [ObjectIdentifier]], _ new: [ResultList.Gap: [ObjectIdentifier]]
    ) -> Set<ObjectIdentifier> {
        var unmoved: Set<ObjectIdentifier> = []
        for (gap, objects) in new {
            guard let before = old[gap] else { continue }
            let ranks = Dictionary(uniqueKeysWithValues: zip(before, before.indices))
            let stayed = objects.filter { ranks[$0] != nil }
            for index in longestAscent(stayed.compactMap { ranks[$0] }) { unmoved.insert(stayed[index]) }
        }
        return unmoved
    }

    /// The indexes of a longest ascending part of a list. O(n log n).
    private static func longestAscent(_ numbers: [Int]) -> [Int] {
        // By length: the part of that length with the lowest end.
        var ends: [Int] = []
        var previous: [Int?] = []
        for (index, number) in numbers.enumerated() {
            var lower = 0
            var upper = ends.count
            while lower < upper {
                let middle = (lower + upper) / 2
                if numbers[ends[middle]] < number { lower = middle + 1 } else { upper = middle }
            }
            previous.append(lower > 0 ? ends[lower - 1] : nil)
            if lower == ends.count { ends.append(index) } else { ends[lower] = index }
        }
        var result: [Int] = []
        var next = ends.last
        while let index = next {
            result.append(index)
            next = previous[index]
        }
        return result
    }
}

extension ResultList {
    /// A place between objects that did not change, which keep their order.
    fileprivate struct Gap: Hashable {
        let section: String
        /// The unchanged object before it.
        let neighbour: ObjectIdentifier?
    }

    /// The changed ones of objects by the gap they stand in, in order.
    fileprivate func places(
        _ objects: [NSManagedObject], _ changed: Set<NSManagedObject>
    ) -> [Gap: [ObjectIdentifier]] {
        var places: [Gap: [ObjectIdentifier]] = [:]
        var gap = Gap(section: "", neighbour: nil)
        for object in objects {
            guard let path = indexPath(of: object) else { continue }
            let section = sections[path.section].name
            if gap.section != section { gap = Gap(section: section, neighbour: nil) }
            if changed.contains(object) {
                places[gap, default: []].append(ObjectIdentifier(object))
            } else {
                gap = Gap(section: section, neighbour: ObjectIdentifier(object))
            }
        }
        return places
    }
}
