import CoreData
import Foundation

// usage: Benchmarks [--rounds N] [--scale F] [--only fetch|insert|search]
//
// Prints the median time of each contestant and its ratio to the first one of its workload, all from this run.

func option(_ name: String) -> Double? {
    guard let place = CommandLine.arguments.firstIndex(of: name), place + 1 < CommandLine.arguments.count
    else {
        return nil
    }
    return Double(CommandLine.arguments[place + 1])
}

let rounds = Int(option("--rounds") ?? 7)
let scale = option("--scale") ?? 1
let folder = try Folder()
var report = Report()
let only = CommandLine.arguments.firstIndex(of: "--only").flatMap {
    CommandLine.arguments.dropFirst($0 + 1).first
}
for (name, make) in [
    ("fetch", { try Numbers.fetching(Int(200_000 * scale), folder) }),
    ("insert", { try Numbers.inserting(Int(50_000 * scale), folder) }),
    ("search", { try Search.searching(Int(200_000 * scale), folder) }),
] where only == nil || only == name {
    let workload = try make()
    report.add(workload, try workload.measure(rounds: rounds))
}
print(report.text)
