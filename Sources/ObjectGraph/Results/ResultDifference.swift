import CocoaFoundation
import Foundation

/// What an edit changed in a list of results, in the order in which a delegate is notified.
struct ResultDifference {
    struct Change {
        let type: NSFetchedResultsChangeType
        let object: NSManagedObject
        let old: IndexPath?
        let new: IndexPath?
    }

    /// Deletions in the order before the edit; then insertions, and then updates and moves, in the order after it.
    var changes: [Change] = []
    var deletedSections: [(section: ResultSection, index: Int)] = []
    var insertedSections: [(section: ResultSection, index: Int)] = []

    /// The objects whose values changed.
    var changed: Set<ObjectIdentifier> = []
}

extension ResultDifference {
    /// The difference of a list with one section, as IDs. A move is a removal and an insertion that name each other;
    /// updates are left out.
    var ofIDs: CollectionDifference<NSManagedObjectID> {
        var steps: [CollectionDifference<NSManagedObjectID>.Change] = []
        for change in changes where change.type != .update {
            let isMove = change.type == .move
            if let old = change.old?.item {
                steps.append(
                    .remove(
                        offset: old, element: change.object.objectID,
                        associatedWith: isMove ? change.new?.item : nil))
            }
            if let new = change.new?.item {
                steps.append(
                    .insert(
                        offset: new, element: change.object.objectID,
                        associatedWith: isMove ? change.old?.item : nil))
            }
        }
        guard let difference = CollectionDifference(steps) else {
            fatalError("The changes of results have an index twice.")
        }
        return difference
    }
}

/// A gap between objects that an edit does not move.
struct ResultGap: Hashable {
    let section: String
    /// The object before it, in the same section.
    let neighbour: ObjectIdentifier?
}

/// Returns the objects that need not move: as many as can keep their positions between the untouched ones.
///
/// - Parameters:
///   - old: the objects by their former gaps, in order.
///   - new: their gaps now.
func unmovedObjects(
    _ old: [ResultGap: [ObjectIdentifier]], _ new: [ResultGap: [ObjectIdentifier]]
) -> Set<ObjectIdentifier> {
    var unmoved: Set<ObjectIdentifier> = []
    for (gap, objects) in new {
        guard let before = old[gap] else { continue }
        let ranks = Dictionary(zip(before, before.indices), uniquingKeysWith: { first, _ in first })
        let stayed = objects.filter { ranks[$0] != nil }
        for index in longestAscent(stayed.compactMap { ranks[$0] }) { unmoved.insert(stayed[index]) }
    }
    return unmoved
}

/// The indexes of a longest ascending part of a list, in descending order. O(n log n).
func longestAscent(_ numbers: [Int]) -> [Int] {
    // By length: the part of that length with the lowest end.
    var ends: [Int] = []
    var previous: [Int?] = []
    for (index, number) in numbers.enumerated() {
        let position = ends.partitionIndex { numbers[$0] >= number }
        previous.append(position > 0 ? ends[position - 1] : nil)
        if position == ends.count { ends.append(index) } else { ends[position] = index }
    }
    var result: [Int] = []
    var next = ends.last
    while let index = next {
        result.append(index)
        next = previous[index]
    }
    return result
}
