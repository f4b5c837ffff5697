/// The way through the years: decades, and the years of the one that is shown.
struct TimelineView {
    struct Entry {
        let label: String
        let href: String
        let count: String
        /// The length of the bar, of 100.
        let share: Int
        let isCurrent: Bool
        let years: [Entry]
        let hasYears: Bool
    }

    let decades: [Entry]
    let undated: String?
    let undatedHref: String
    let isEmpty: Bool

    init(_ timeline: Timeline, current: PublishMonth?, visitor: Visitor) {
        var groups: [(decade: Int, years: [Timeline.Year])] = []
        for year in timeline.years {
            let decade = year.year / 10 * 10
            if groups.last?.decade == decade {
                groups[groups.count - 1].years.append(year)
            } else {
                groups.append((decade, [year]))
            }
        }
        let counts = groups.map { $0.years.reduce(0) { $0 + $1.count } }
        let most = counts.max() ?? 1
        let currentDecade = current.map { $0.year / 10 * 10 }
        decades = zip(groups, counts).map { group, count in
            let isCurrent = group.decade == currentDecade
            let mostOfYears = group.years.map(\.count).max() ?? 1
            let years = group.years.map { year in
                Entry(
                    label: "\(year.year)", href: Self.href(year.year), count: visitor.number(year.count),
                    share: Self.share(year.count, of: mostOfYears), isCurrent: year.year == current?.year,
                    years: [], hasYears: false)
            }
            return Entry(
                label: "\(group.decade)s", href: Self.href(group.years.first?.year ?? group.decade),
                count: visitor.number(count), share: Self.share(count, of: most), isCurrent: isCurrent,
                years: isCurrent ? years : [], hasYears: isCurrent)
        }
        undated = timeline.undated > 0 ? visitor.number(timeline.undated) : nil
        undatedHref = BookListQuery().address(.init(start: .undated)).text
        isEmpty = timeline.years.isEmpty
    }

    private static func share(_ count: Int, of most: Int) -> Int { max(2, count * 100 / max(most, 1)) }

    /// The newest books of a year and of those before it.
    private static func href(_ year: Int) -> String {
        let start = PublishMonth(year: year, month: 12).map(BookListQuery.Position.Start.month)
        return BookListQuery().address(.init(start: start)).text
    }
}
