import CoreData
import Foundation

// usage: Benchmarks [--rounds N] [--scale F] [--only fetch|insert|search|predicates|models]
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
let workloads: [(name: String, make: () throws -> Workload?)] = [
    ("fetch", { try Numbers.fetching(Int(200_000 * scale), folder) }),
    ("insert", { try Numbers.inserting(Int(50_000 * scale), folder) }),
    ("search", { try Search.searching(Int(200_000 * scale), folder) }),
    ("predicates", { Predicates.parsing(Int(1_000_000 * scale)) }),
    ("models", { Models.reading() }),
]
for (name, make) in workloads where only == nil || only == name {
    guard let workload = try make() else {
        FileHandle.standardError.write(Data("\(name): no models; set OPENCOREDATA_CORPUS\n".utf8))
        continue
    }
    report.add(workload, try workload.measure(rounds: rounds))
}
print(report.text)
