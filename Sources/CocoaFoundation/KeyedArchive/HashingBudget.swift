/// How much work the hash tables of one archive may be: its sets, ordered sets and dictionaries, all of them together.
///
/// A hash table compares members of equal hash one with another. In Foundation on Linux all arrays of equal length have the
/// same hash, and strings and data are hashed by parts; a comparison of two arrays goes through all that they hold, each
/// shared object as often as it is reached. An archive of a few kilobytes could ask for hours of comparisons. So each
/// table is charged for the pairs of its members that have equal hashes, by what these weigh, before it is made.
struct HashingBudget {
    /// The charge of a whole archive. A member weighs one for each object in it, each as often as it is reached, and one
    /// more for each 64 bytes of strings and data.
    ///
    /// A set of a thousand pairs of numbers, each an array, takes three quarters of it.
    static let limit = 2_000_000

    /// What a member of a table weighs as a rule, together with those of its hash. Tables below that are not charged: they
    /// take no more time than reading their members.
    private static let freeWeight = 16

    private var charged = 0

    struct Exhausted: Error {}

    /// A member of a set or a key of a dictionary.
    struct Member {
        let object: AnyObject
        /// What comparing it with an equal one costs.
        let weight: Int
    }

    /// Charges for a table.
    ///
    /// - Returns: what making the table, or comparing it with an equal one, costs at the most beyond its members' weights.
    /// - Throws: ``Exhausted``.
    mutating func charge(_ members: [Member]) throws(Exhausted) -> Int {
        let total = members.reduce(0) { $0.saturatingAdd($1.weight) }
        let most = Self.comparisons(members.count, total)
        if most <= members.count * Self.freeWeight { return most }
        var groups: [Int: (count: Int, weight: Int)] = [:]
        for member in members {
            let hash = (member.object as? NSObject)?.hash ?? 0
            let group = groups[hash] ?? (0, 0)
            groups[hash] = (group.count + 1, group.weight.saturatingAdd(member.weight))
        }
        let cost = groups.values.reduce(0) {
            $0.saturatingAdd(Self.comparisons($1.count, $1.weight))
        }
        charged = charged.saturatingAdd(cost)
        guard charged <= Self.limit else { throw Exhausted() }
        return cost
    }

    /// What it costs to compare each member of a group with each other: of two of different weight, the lighter one decides.
    private static func comparisons(_ count: Int, _ weight: Int) -> Int {
        guard count > 1 else { return 0 }
        let (product, overflows) = (count - 1).multipliedReportingOverflow(by: weight)
        return overflows ? .max : product / 2 + product % 2
    }

    /// The weight of an object itself, without those that it holds.
    static func weight(of object: AnyObject) -> Int {
        switch object {
        case let text as NSString: 1 + text.length / 64
        case let data as NSData: 1 + data.length / 64
        default: 1
        }
    }
}

extension Int {
    /// The sum of two numbers that are not negative; the greatest number when that does not fit.
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
