import Foundation

/// The edit that brings a list of results up to date.
struct ResultEdit {
    /// Members to remove.
    var leaving: [NSManagedObject] = []
    /// Members and others to move to their current ranks.
    var placed: [NSManagedObject] = []
    /// Their ranks, if known: ascending, in the edited list.
    var ranks: [Int]?
    /// The objects whose values changed.
    var changed: Set<ObjectIdentifier> = []

    var isEmpty: Bool { leaving.isEmpty && placed.isEmpty }
}

/// The order and the section names of a list of results, and what was read for them so far.
final class ResultRules {
    private let descriptors: [NSSortDescriptor]
    private let name: (NSManagedObject) -> String
    private(set) var cost = ResultCost()

    init(order descriptors: [NSSortDescriptor], sectionName name: @escaping (NSManagedObject) -> String) {
        self.descriptors = descriptors
        self.name = name
    }

    func order(_ a: NSManagedObject, _ b: NSManagedObject) -> ComparisonResult {
        cost.comparisons += 1
        return orderInStore(a, b, by: descriptors)
    }

    func sectionName(_ object: NSManagedObject) -> String {
        cost.names += 1
        return name(object)
    }

    func noteEvaluation() { cost.evaluations += 1 }
    func noteFetch() { cost.fetches += 1 }
}

/// The cost of following changes.
package struct ResultCost {
    /// How often the condition was evaluated for an object.
    package var evaluations = 0
    /// How often two objects were compared.
    package var comparisons = 0
    /// How often the section name of an object was read.
    package var names = 0
    /// How often the store was queried again.
    package var fetches = 0
}

extension ResultList {
    /// Whether members are in order between their neighbours and in a section of their name.
    func fit(_ objects: [NSManagedObject], _ rules: ResultRules) -> Bool {
        objects.allSatisfy { object in
            guard let position = position(of: object) else { return false }
            if isSectioned, members[position].section != rules.sectionName(object) { return false }
            let isAfter = members.position(before: position).map {
                rules.order(members[$0].object, object) != .orderedDescending
            }
            let isBefore = members.position(after: position).map {
                rules.order(object, members[$0].object) != .orderedDescending
            }
            return isAfter ?? true && isBefore ?? true
        }
    }

    /// The edit that turns the list into another one; nil when that has the same objects at the same positions, unchanged.
    func edit(
        to objects: [NSManagedObject], changed: Set<ObjectIdentifier>, _ rules: ResultRules
    ) -> ResultEdit? {
        var edit = ResultEdit()
        edit.changed = changed
        let present = Set(objects.map(ObjectIdentifier.init))
        edit.leaving = self.objects.filter { !present.contains(ObjectIdentifier($0)) }
        let unchanged = objects.enumerated().compactMap { index, object -> (index: Int, rank: Int)? in
            guard !changed.contains(ObjectIdentifier(object)), let position = position(of: object),
                !isSectioned || members[position].section == rules.sectionName(object)
            else { return nil }
            return (index, members.rank(of: position))
        }
        let staying = Set(longestAscent(unchanged.map(\.rank)).map { unchanged[$0].index })
        let ranks = objects.indices.filter { !staying.contains($0) }
        edit.placed = ranks.map { objects[$0] }
        edit.ranks = ranks
        return edit.isEmpty ? nil : edit
    }

    /// Edits the list, and returns what that changed. O(k log n) for k objects that leave or are placed.
    func apply(_ edit: ResultEdit, _ rules: ResultRules) -> ResultDifference {
        let kept = edit.placed.filter(contains)
        let keptIDs = Set(kept.map(ObjectIdentifier.init))
        var taken = listing(edit.leaving + kept)
        let oldPaths = Dictionary(taken.map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
        let oldGaps = gaps(taken)
        let emptied = emptiedSections(taken)

        willChange()
        for listed in taken where !keptIDs.contains(listed.id) { remove(at: listed.position) }
        let isInOrder = edit.ranks == nil && fit(kept, rules)
        if isInOrder {
            taken.removeAll { keptIDs.contains($0.id) }
        } else {
            for listed in taken where keptIDs.contains(listed.id) { remove(at: listed.position) }
        }
        let put = edit.placed.filter { !contains($0) }
        for (index, object) in put.enumerated() {
            let rank =
                edit.ranks?[index]
                ?? members.rank { rules.order($0.object, object) == .orderedDescending }
            insert(object, section: isSectioned ? rules.sectionName(object) : "", at: rank)
        }

        var difference = ResultDifference()
        difference.changed = edit.changed
        let placed = listing(edit.placed)
        // Members that stay in order cannot move their sections.
        let moved = isInOrder ? [] : movedSections(emptied, placed)
        difference.deletedSections = goneSections(taken, moved)
        difference.insertedSections = newSections(put, moved)
        for listed in taken where !keptIDs.contains(listed.id) {
            difference.changes.append(
                .init(type: .delete, object: listed.object, old: listed.path, new: nil))
        }
        for listed in placed where !keptIDs.contains(listed.id) {
            difference.changes.append(
                .init(type: .insert, object: listed.object, old: nil, new: listed.path))
        }
        let unmoved =
            isInOrder
            ? keptIDs : unmovedObjects(oldGaps.filter { !moved.contains($0.key.section) }, gaps(placed))
        for listed in placed where keptIDs.contains(listed.id) {
            let isUnmoved = unmoved.contains(listed.id)
            if isUnmoved, !edit.changed.contains(listed.id) { continue }
            difference.changes.append(
                .init(
                    type: isUnmoved ? .update : .move, object: listed.object,
                    old: oldPaths[listed.id], new: listed.path))
        }
        return difference
    }

    /// The position of a member.
    private struct Listed {
        let object: NSManagedObject
        let position: Position
        let rank: Int
        let path: IndexPath
        let section: String

        var id: ObjectIdentifier { ObjectIdentifier(object) }
    }

    /// The positions of the objects that are members, in order. O(k log n).
    private func listing(_ objects: [NSManagedObject]) -> [Listed] {
        objects.compactMap { object in
            position(of: object).map { position in
                Listed(
                    object: object, position: position, rank: members.rank(of: position),
                    path: indexPath(at: position), section: members[position].section)
            }
        }.sorted { $0.rank < $1.rank }
    }

    /// The objects by their gaps between all others. O(k log n).
    private func gaps(_ listing: [Listed]) -> [ResultGap: [ObjectIdentifier]] {
        var gaps: [ResultGap: [ObjectIdentifier]] = [:]
        var last: (rank: Int, gap: ResultGap)?
        for listed in listing {
            let gap: ResultGap
            if listed.path.item == 0 {
                gap = ResultGap(section: listed.section, neighbour: nil)
            } else if let last, last.rank == listed.rank - 1 {
                gap = last.gap
            } else {
                let neighbour = members.position(before: listed.position).map { members[$0].object }
                gap = ResultGap(
                    section: listed.section, neighbour: neighbour.map(ObjectIdentifier.init))
            }
            gaps[gap, default: []].append(listed.id)
            last = (listed.rank, gap)
        }
        return gaps
    }

    /// The numbers of the sections whose members will all be removed, by their names. O(k log n).
    private func emptiedSections(_ taken: [Listed]) -> [String: Int] {
        guard isSectioned else { return [:] }
        var emptied: [String: Int] = [:]
        for (number, members) in Dictionary(grouping: taken, by: \.path.section) {
            guard let name = members.first?.section, members.count == size(ofSection: number) else {
                continue
            }
            emptied[name] = number
        }
        return emptied
    }

    /// The names of sections that existed before at another position. O(k log n).
    ///
    /// A section with an untouched member is not one of them: those keep their order. As many of the emptied ones as possible
    /// keep their positions between those.
    ///
    /// - Parameters:
    ///   - emptied: the former numbers of the sections whose members were all removed.
    ///   - placed: the objects that the edit inserted or left in their positions, in order.
    private func movedSections(_ emptied: [String: Int], _ placed: [Listed]) -> Set<String> {
        let old = emptied.filter { runs[$0.key] == 1 }
        guard !old.isEmpty else { return [] }
        let ranks = Dictionary(
            uniqueKeysWithValues: emptied.values.sorted().enumerated().map { ($1, $0) })
        var back: [(name: String, old: Int)] = []
        var moved: Set<String> = []
        /// How many sections up to this one have no untouched member.
        var made = 0
        var last: Int?
        for listed in placed where listed.path.section != last {
            last = listed.path.section
            let wasEmptied = emptied[listed.section] != nil
            if let number = old[listed.section] {
                if number - (ranks[number] ?? 0) == listed.path.section - made {
                    back.append((listed.section, number))
                } else {
                    moved.insert(listed.section)
                }
            }
            if wasEmptied || !hadRun(of: listed.section) { made += 1 }
        }
        let staying = Set(longestAscent(back.map(\.old)))
        for (index, section) in back.enumerated() where !staying.contains(index) {
            moved.insert(section.name)
        }
        return moved
    }

    /// The sections whose objects were all removed, and whose names no section has now or one at another position.
    private func goneSections(
        _ taken: [Listed], _ moved: Set<String>
    ) -> [(section: ResultSection, index: Int)] {
        guard isSectioned else { return [] }
        let gone = taken.filter { runs[$0.section] == nil || moved.contains($0.section) }
        return Dictionary(grouping: gone, by: \.path.section).sorted { $0.key < $1.key }.map {
            index, members in (ResultSection(withoutObjects: members.first?.section ?? "", results), index)
        }
    }

    /// The sections of inserted objects whose names no section had before, or one at another position.
    private func newSections(
        _ put: [NSManagedObject], _ moved: Set<String>
    ) -> [(section: ResultSection, index: Int)] {
        guard isSectioned else { return [] }
        let new = listing(put).filter { !hadRun(of: $0.section) || moved.contains($0.section) }
        return Set(new.map(\.path.section)).sorted().map { index in
            let section = section(index)
            // All of its objects are new there; the section may be kept.
            section.detach()
            return (section, index)
        }
    }
}
