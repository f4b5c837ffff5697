import Foundation

/// One section of results, as it was when it was returned.
final class ResultSection: NSFetchedResultsSectionInfo {
    let name: String
    let numberOfObjects: Int
    private var kept: [NSManagedObject]?
    private weak var list: ResultList?
    private let start: Int
    private weak var results: FetchedResults?

    /// A section of a list that has not changed since.
    init(name: String, _ ranks: Range<Int>, of list: ResultList, _ results: FetchedResults?) {
        self.name = name
        numberOfObjects = ranks.count
        start = ranks.lowerBound
        self.list = list
        self.results = results
    }

    /// A section that no longer exists: it has no objects.
    init(withoutObjects name: String, _ results: FetchedResults?) {
        self.name = name
        numberOfObjects = 0
        start = 0
        kept = []
        self.results = results
    }

    /// The objects, in order; copied from the list at the first access, at the latest before it changes.
    var members: [NSManagedObject] {
        if let kept { return kept }
        let members = list?.objects(start..<start + numberOfObjects) ?? []
        kept = members
        return members
    }

    /// Copies the objects while they are available.
    func detach() { _ = members }

    var indexTitle: String? { results?.indexTitle(name) }
    var objects: [Any]? { members }
}
