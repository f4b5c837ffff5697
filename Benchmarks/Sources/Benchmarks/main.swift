import CoreData
import Foundation

// usage: Benchmarks [--rounds N] [--scale F] [--only NAME] [--contestant TEXT] [--json] [--list] [--rows N]
//
// Prints the median time of each contestant and its ratio to the first one of its workload, all from this run, and the
// goals. With --rows, the same work on stores of 10,000 rows to N, in place of that. With --json, only the goals. With --contestant, only those run whose name has the text: for a profiler.

func text(_ name: String) -> String? {
    CommandLine.arguments.firstIndex(of: name).flatMap { CommandLine.arguments.dropFirst($0 + 1).first }
}

func number(_ name: String) -> Double? { text(name).flatMap(Double.init) }

let rounds = Int(number("--rounds") ?? 7)
let scale = number("--scale") ?? 1
let folder = try Folder()
var report = Report()
let only = text("--only")
let contestant = text("--contestant")

func scaled(_ count: Int) -> Int { max(1, Int(Double(count) * scale)) }

let workloads: [(name: String, make: () throws -> Workload?)] = [
    ("fetch", { try Numbers.fetching(scaled(200_000), folder) }),
    ("mixed", { try Mixed.fetching(scaled(200_000), folder) }),
    ("faults", { try Numbers.faulting(scaled(200_000), folder) }),
    ("snapshots", { try Numbers.snapshots(scaled(200_000), folder) }),
    ("lazy", { try Numbers.lazily(scaled(200_000), folder) }),
    ("two-contexts", { try Numbers.concurrently(scaled(200_000), folder) }),
    ("read", { try Reading.properties(scaled(1_000_000), folder) }),
    ("insert", { try Numbers.inserting(scaled(50_000), folder) }),
    ("insert-indexed", { try Writing.insertingIndexed(scaled(10_000), folder) }),
    ("save-each", { try Writing.savingEach(scaled(10_000), folder) }),
    ("update", { try Writing.updating(scaled(10_000), folder) }),
    ("delete", { try Writing.deleting(scaled(10_000), folder) }),
    ("unique", { try Writing.insertingUnique(scaled(10_000), folder) }),
    ("lookup", { try Lookups.byAttribute(scaled(10_000), folder) }),
    ("object-id", { try Lookups.byID(scaled(10_000), folder) }),
    ("to-many", { try Relationships.prefetching(scaled(1_000), 100, folder) }),
    ("million", { try Comparison.making(scaled(1_000_000), folder) }),
    ("owners", { try Comparison.makingOwners(scaled(100), 1_000, folder) }),
    ("members", { try Comparison.readingMembers(scaled(100), 1_000, folder) }),
    ("one-change", { try Following.oneChange(scaled(100_000), folder) }),
    ("controllers", { try Following.controllers(scaled(1_000), scaled(1_000), folder) }),
    ("remote", { try Remote.telling(20, folder) }),
    ("group", { try Grouping.sums(scaled(1_000_000), folder) }),
    ("open", { try Opening.entities(300, folder) }),
    ("search", { try Search.searching(scaled(200_000), folder) }),
    ("substrings", { try Substrings.containing(scaled(1_000_000), folder) }),
    ("full-text", { try FullTextSearching.firstPages(scaled(1_000_000), folder) }),
    ("full-text-indexing", { try FullTextSearching.indexing(scaled(1_000_000), folder) }),
    ("full-text-saves", { try FullTextSearching.savesWhileIndexing(scaled(1_000_000), folder) }),
    ("full-text-following", { try FullTextSearching.savesWhileFollowing(scaled(10_000), folder) }),
    ("predicates", { Predicates.parsing(scaled(1_000_000)) }),
    ("models", { Models.reading() }),
]
if CommandLine.arguments.contains("--list") {
    print((workloads.map(\.name) + ["memory"]).joined(separator: "\n"))
    exit(0)
}
if let most = number("--rows") {
    try Scaling.run(upTo: Int(most), folder, &report)
    print(CommandLine.arguments.contains("--json") ? try report.json : report.text)
    exit(0)
}
if let only, only != "memory", !workloads.contains(where: { $0.name == only }) {
    FileHandle.standardError.write(Data("no workload \(only); --list prints their names\n".utf8))
    exit(2)
}
for (name, make) in workloads where only == nil || only == name {
    guard let workload = try make()?.with(contestant) else {
        FileHandle.standardError.write(Data("\(name): no models; set OPENCOREDATA_CORPUS\n".utf8))
        continue
    }
    report.add(workload, try workload.measure(rounds: rounds))
}
if only == nil || only == "memory" { report.add(try Memory.figures(scaled(100_000), folder)) }
if only == nil || only == "million" { report.add(try Comparison.memory(scaled(1_000_000), folder)) }
print(CommandLine.arguments.contains("--json") ? try report.json : report.text)
