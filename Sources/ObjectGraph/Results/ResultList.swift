import Foundation

/// Results in order, divided into sections: runs of objects with the same section name.
///
/// The objects are a `RankedSequence` in which the first one of each section is marked. So an object's index path is
/// two counts, and an edit of k of n objects costs O(k log n), over any number of sections.
final class ResultList {
    struct Member {
        let object: NSManagedObject
        var section: String
    }

    typealias Position = RankedSequence<Member>.Position

    private(set) var members: RankedSequence<Member>
    private var positions: [ObjectIdentifier: Position] = [:]
    /// The number of sections with a name; 1 if each name's objects follow each other.
    private(set) var runs: [String: Int] = [:]
    /// The values of `runs` before the last edit, for the names whose number it changed.
    private var oldRuns: [String: Int] = [:]
    let isSectioned: Bool
    /// How often the list has changed.
    private(set) var generation = 0
    private(set) weak var results: FetchedResults?
    private var cachedObjects: [NSManagedObject]?
    private var cachedSections: [ResultSection]?

    /// - Parameter sections: the name of each object's section; nil for one section.
    init(_ objects: [NSManagedObject], sections: [String]?, _ results: FetchedResults?) {
        isSectioned = sections != nil
        self.results = results
        cachedObjects = objects
        members = RankedSequence(
            objects.indices.map { Member(object: objects[$0], section: sections?[$0] ?? "") })
        positions.reserveCapacity(objects.count)
        var last: String?
        for position in members.positions(0..<objects.count) {
            let member = members[position]
            positions[ObjectIdentifier(member.object)] = position
            if isSectioned, member.section != last {
                members.setMark(true, at: position)
                runs[member.section, default: 0] += 1
                last = member.section
            }
        }
    }

    private init(copy list: ResultList) {
        (members, positions, runs) = (list.members, list.positions, list.runs)
        (isSectioned, generation, results) = (list.isSectioned, list.generation, list.results)
        cachedObjects = list.cachedObjects
    }

    /// A list with the same contents. O(n) with the next edit of either.
    var copy: ResultList { ResultList(copy: self) }

    // MARK: Reading

    var count: Int { members.count }

    /// All objects, in order. O(n) for the first call after a change.
    var objects: [NSManagedObject] {
        if let cachedObjects { return cachedObjects }
        let objects = objects(0..<count)
        cachedObjects = objects
        return objects
    }

    func objects(_ ranks: Range<Int>) -> [NSManagedObject] {
        members.positions(ranks).map { members[$0].object }
    }

    /// The sections, in order. O(m log n) of m sections for the first call after a change.
    var sections: [ResultSection] {
        if let cachedSections { return cachedSections }
        let sections = (0..<sectionCount).map(section)
        cachedSections = sections
        return sections
    }

    var sectionCount: Int { isSectioned ? members.markCount : 1 }

    /// The section of a number. O(log n).
    func section(_ number: Int) -> ResultSection {
        let ranks = ranks(ofSection: number)
        let name = isSectioned ? members.position(at: ranks.lowerBound).map { members[$0].section } : ""
        return ResultSection(name: name ?? "", ranks, of: self, results)
    }

    private func start(ofSection number: Int) -> Int {
        guard isSectioned else { return number == 0 ? 0 : count }
        return members.markedPosition(at: number).map(members.rank) ?? count
    }

    private func ranks(ofSection number: Int) -> Range<Int> {
        start(ofSection: number)..<start(ofSection: number + 1)
    }

    /// How many members a section has. O(log n).
    func size(ofSection number: Int) -> Int { ranks(ofSection: number).count }

    /// The object at an index path; nil when there is none. O(log n).
    func object(at path: IndexPath) -> NSManagedObject? {
        guard path.count == 2, (0..<sectionCount).contains(path[0]) else { return nil }
        let ranks = ranks(ofSection: path[0])
        guard (0..<ranks.count).contains(path[1]) else { return nil }
        return members.position(at: ranks.lowerBound + path[1]).map { members[$0].object }
    }

    /// The name of the section that an object is in; nil when it is not in the list.
    func sectionName(of object: NSManagedObject) -> String? {
        position(of: object).map { members[$0].section }
    }

    /// The name of each object's section; nil for a list without sections. O(n).
    var sectionNames: [String]? {
        isSectioned ? members.positions(0..<count).map { members[$0].section } : nil
    }

    func position(of object: NSManagedObject) -> Position? { positions[ObjectIdentifier(object)] }

    func contains(_ object: NSManagedObject) -> Bool { position(of: object) != nil }

    /// The index path of an object; nil when it is not in the list. O(log n).
    func indexPath(of object: NSManagedObject) -> IndexPath? { position(of: object).map(indexPath) }

    func indexPath(at position: Position) -> IndexPath {
        let rank = members.rank(of: position)
        guard isSectioned else { return IndexPath(item: rank, section: 0) }
        let section = members.marks(through: position) - 1
        return IndexPath(item: rank - start(ofSection: section), section: section)
    }

    // MARK: Changing

    /// Inserts an object at a rank. O(log n).
    func insert(_ object: NSManagedObject, section: String, at rank: Int) {
        let position = members.insert(Member(object: object, section: section), at: rank)
        positions[ObjectIdentifier(object)] = position
        markStart(position)
        if let next = members.position(after: position) { markStart(next) }
    }

    /// Removes an object. O(log n).
    func remove(at position: Position) {
        let member = members[position]
        if members.isMarked(position) { countRun(of: member.section, -1) }
        let next = members.position(after: position)
        members.remove(position)
        positions[ObjectIdentifier(member.object)] = nil
        if let next { markStart(next) }
    }

    /// Marks an object if a section begins with it.
    private func markStart(_ position: Position) {
        guard isSectioned else { return }
        let name = members[position].section
        let isStart = members.position(before: position).map { members[$0].section != name } ?? true
        guard members.isMarked(position) != isStart else { return }
        members.setMark(isStart, at: position)
        countRun(of: name, isStart ? 1 : -1)
    }

    private func countRun(of name: String, _ difference: Int) {
        let old = runs[name, default: 0]
        if oldRuns[name] == nil { oldRuns[name] = old }
        runs[name] = old + difference == 0 ? nil : old + difference
    }

    /// Whether a section had the name before the last edit.
    func hadRun(of name: String) -> Bool { oldRuns[name].map { $0 > 0 } ?? (runs[name] != nil) }

    /// Called before the list changes: returned sections keep their contents.
    func willChange() {
        generation += 1
        oldRuns = [:]
        cachedObjects = nil
        guard var sections = cachedSections else { return }
        cachedSections = nil
        for index in sections.indices where !isKnownUniquelyReferenced(&sections[index]) {
            sections[index].detach()
        }
    }
}
