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
            guard let place = place(of: object) else { return false }
            if isSectioned, members[place].section != rules.sectionName(object) { return false }
            let isAfter = members.place(before: place).map {
                rules.order(members[$0].object, object) != .orderedDescending
            }
            let isBefore = members.place(after: place).map {
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
            guard !changed.contains(ObjectIdentifier(object)), let place = place(of: object),
                !isSectioned || members[place].section == rules.sectionName(object)
            else { return nil }
            return (index, members.rank(of: place))
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
        var taken = standings(edit.leaving + kept)
        let oldPaths = Dictionary(taken.map { ($0.id, $0.path) }, uniquingKeysWith: { first, _ in first })
        let oldGaps = gaps(taken)
        let emptied = emptiedSections(taken)

        willChange()
        for standing in taken where !keptIDs.contains(standing.id) { remove(at: standing.place) }
        let isInOrder = edit.ranks == nil && fit(kept, rules)
        if isInOrder {
            taken.removeAll { keptIDs.contains($0.id) }
        } else {
            for standing in taken where keptIDs.contains(standing.id) { remove(at: standing.place) }
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
        let placed = standings(edit.placed)
        // Members that stay in order cannot move their sections.
        let moved = isInOrder ? [] : movedSections(emptied, placed)
        difference.deletedSections = goneSections(taken, moved)
        difference.insertedSections = newSections(put, moved)
        for standing in taken where !keptIDs.contains(standing.id) {
            difference.changes.append(
                .init(type: .delete, object: standing.object, old: standing.path, new: nil))
        }
        for standing in placed where !keptIDs.contains(standing.id) {
            difference.changes.append(
                .init(type: .insert, object: standing.object, old: nil, new: standing.path))
        }
        let unmoved =
            isInOrder
            ? keptIDs : unmovedObjects(oldGaps.filter { !moved.contains($0.key.section) }, gaps(placed))
        for standing in placed where keptIDs.contains(standing.id) {
            let isUnmoved = unmoved.contains(standing.id)
            if isUnmoved, !edit.changed.contains(standing.id) { continue }
            difference.changes.append(
                .init(
                    type: isUnmoved ? .update : .move, object: standing.object,
                    old: oldPaths[standing.id], new: standing.path))
        }
        return difference
    }

    /// The position of a member.
    private struct Standing {
        let object: NSManagedObject
        let place: Place
        let rank: Int
        let path: IndexPath
        let section: String

        var id: ObjectIdentifier { ObjectIdentifier(object) }
    }

    /// The positions of the objects that are members, in order. O(k log n).
    private func standings(_ objects: [NSManagedObject]) -> [Standing] {
        objects.compactMap { object in
            place(of: object).map { place in
                Standing(
                    object: object, place: place, rank: members.rank(of: place),
                    path: indexPath(at: place), section: members[place].section)
            }
        }.sorted { $0.rank < $1.rank }
    }

    /// The objects by their gaps between all others. O(k log n).
    private func gaps(_ standings: [Standing]) -> [ResultGap: [ObjectIdentifier]] {
        var gaps: [ResultGap: [ObjectIdentifier]] = [:]
        var last: (rank: Int, gap: ResultGap)?
        for standing in standings {
            let gap: ResultGap
            if standing.path.item == 0 {
                gap = ResultGap(section: standing.section, neighbour: nil)
            } else if let last, last.rank == standing.rank - 1 {
                gap = last.gap
            } else {
                let neighbour = members.place(before: standing.place).map { members[$0].object }
                gap = ResultGap(
                    section: standing.section, neighbour: neighbour.map(ObjectIdentifier.init))
            }
            gaps[gap, default: []].append(standing.id)
            last = (standing.rank, gap)
        }
        return gaps
    }

    /// The numbers of the sections whose members will all be removed, by their names. O(k log n).
    private func emptiedSections(_ taken: [Standing]) -> [String: Int] {
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
    private func movedSections(_ emptied: [String: Int], _ placed: [Standing]) -> Set<String> {
        let old = emptied.filter { runs[$0.key] == 1 }
        guard !old.isEmpty else { return [] }
        let ranks = Dictionary(
            uniqueKeysWithValues: emptied.values.sorted().enumerated().map { ($1, $0) })
        var back: [(name: String, old: Int)] = []
        var moved: Set<String> = []
        /// How many sections up to this one have no untouched member.
        var made = 0
        var last: Int?
        for standing in placed where standing.path.section != last {
            last = standing.path.section
            let wasEmptied = emptied[standing.section] != nil
            if let number = old[standing.section] {
                if number - (ranks[number] ?? 0) == standing.path.section - made {
                    back.append((standing.section, number))
                } else {
                    moved.insert(standing.section)
                }
            }
            if wasEmptied || !hadRun(of: standing.section) { made += 1 }
        }
        let staying = Set(longestAscent(back.map(\.old)))
        for (index, section) in back.enumerated() where !staying.contains(index) {
            moved.insert(section.name)
        }
        return moved
    }

    /// The sections whose objects were all removed, and whose names no section has now or one at another position.
    private func goneSections(
        _ taken: [Standing], _ moved: Set<String>
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
        let new = standings(put).filter { !hadRun(of: $0.section) || moved.contains($0.section) }
        return Set(new.map(\.path.section)).sorted().map { index in
            let section = section(index)
            // All of its objects are new there; the section may be kept.
            section.detach()
            return (section, index)
        }
    }
}
