import CoreData

/// Format strings of predicates, read and printed.
enum Predicates {
    /// Tokens are parted by spaces, so that they can be counted.
    static let formats = [
        "title == 'Emma'", "pages > 300", "author . name BEGINSWITH [ cd ] 'j'",
        "title CONTAINS 'war' AND pages > 500",
        "price BETWEEN { 5 , 9.99 }", "title IN { 'Emma' , 'Persuasion' , 'Germinal' }",
        "NOT ( isRead == YES OR rating < 4.5 )", "ANY books . title LIKE 'E*'", "ALL books . pages > 100",
        "SUBQUERY ( books , $b , $b . pages > 100 AND $b . price < 10 ) . @count > 2",
        "books . @sum . pages > 1000",
        "pages + 10 * rating - 3 > 2 ** 8", "title MATCHES '[A-Z].*'", "publishDate > CAST ( 0 , 'NSDate' )",
        "TERNARY ( pages > 100 , title , 'short' ) == 'short'", "uppercase: ( title ) == 'EMMA'",
        "title == nil OR title == ''", "SELF IN { 1 , 2 , 3 , 4 , 5 , 6 , 7 , 8 , 9 , 10 }",
        "a == 1 AND b == 2 AND c == 3 AND d == 4 AND e == 5 AND f == 6",
        "( ( a == 1 OR b == 2 ) AND ( c == 3 OR d == 4 ) ) OR ( e == 5 AND NOT f == 6 )",
    ]

    static func parsing(_ tokens: Int) -> Workload {
        let count = formats.reduce(0) { $0 + $1.split(separator: " ").count }
        let turns = max(1, tokens / count)
        return Workload(
            name: "\(turns * count) tokens of \(formats.count) predicate formats",
            contestants: [
                .init(name: "parsed") {
                    try number(turns) { try NSPredicate(parsing: $0).isEqual(nil) }
                },
                .init(name: "parsed and printed") {
                    try number(turns) { try NSPredicate(parsing: $0).formatString.isEmpty }
                },
            ],
            goals: [.each("parsed", of: turns * count, 1, .microseconds)])
    }

    /// How often a test of a format says no.
    private static func number(_ turns: Int, _ isOut: (String) throws -> Bool) throws -> Int {
        var number = 0
        for _ in 0..<turns {
            for format in formats where try !isOut(format) { number += 1 }
        }
        return number
    }
}
