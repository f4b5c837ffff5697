import CoreData
import Foundation

/// Lets an operation on a store fail for want of something, at every point at which it can, and looks at what is left.
///
/// After each error the store is as it was, the process that got the error agrees with it, and the same operation works
/// when what it wanted is there again. What is taken away is the whole process's, so each run is a process of its own.
package struct Shortage {
    private let resource: any Resource
    private let operation: any StoreOperation
    private let name: String
    private var state = 0
    /// Whether the last attempt asked for the resource in vain.
    private var wasShort = false
    private(set) var attempts = 0
    private(set) var refusals: [String: Int] = [:]

    /// Runs what arguments say: a resource, an operation, an empty folder. Ends the process: with 0, or with 1 and what is
    /// wrong on the standard error.
    package static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 3, let kind = ResourceKind(rawValue: arguments[0]),
            let operationKind = OperationKind(rawValue: arguments[1])
        else { exit(64) }
        do {
            let folder = URL(fileURLWithPath: arguments[2])
            let resource = try kind.make(folder)
            var shortage = Shortage(
                resource: resource, operation: try operationKind.make(folder),
                name: "\(kind.rawValue), \(operationKind.rawValue)")
            try shortage.run()
            print(
                "\(shortage.name): \(shortage.attempts) attempts, \(shortage.refusals.values.reduce(0, +)) errors"
            )
            for (words, count) in shortage.refusals.sorted(by: { $0.key < $1.key }) {
                print("  \(count) × \(words)")
            }
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(arguments.joined(separator: " ")): \(error)\n".utf8))
            exit(1)
        }
    }

    private init(resource: any Resource, operation: any StoreOperation, name: String) {
        self.resource = resource
        self.operation = operation
        self.name = name
    }

    private mutating func run() throws {
        var successes = 0
        for amount in resource.amounts {
            try operation.prepare(state + 1)
            let refusal = try attempt(leaving: amount)
            try check("with \(amount) left, after \(refusal?.localizedDescription ?? "success")")
            guard refusal != nil else {
                // SQLite does without some of what it asks for.
                successes = wasShort ? 0 : successes + 1
                if successes == 2 { return }
                continue
            }
            successes = 0
            do {
                try operation.attempt()
            } catch {
                throw StressFailure("does not work when all is there again (\(amount) were left): \(error)")
            }
            state += 1
            try check("once more, after \(amount) were left")
        }
        if successes == 0, resource.amounts.count > 1 {
            throw StressFailure("never works with \(resource.amounts.last ?? 0) left")
        }
    }

    /// The error of an attempt; nil when it works.
    private mutating func attempt(leaving amount: Int) throws -> NSError? {
        attempts += 1
        try resource.take(leaving: amount)
        let refusal: NSError?
        do {
            try operation.attempt()
            refusal = nil
        } catch {
            refusal = error as NSError
        }
        wasShort = try resource.giveBack()
        guard let refusal else {
            state += 1
            return nil
        }
        let words = refusal.localizedDescription
        // Operations on files pass on errors of the file system.
        guard [NSCocoaErrorDomain, NSPOSIXErrorDomain].contains(refusal.domain), words.count > 10 else {
            throw StressFailure("with \(amount) left: not an error of the framework: \(refusal)")
        }
        // Paths have names of their own each time.
        let pattern = words.split(separator: " ").map { $0.hasPrefix("/") || $0.contains("/") ? "…" : $0 }
        if operation.mayBeDoneAfterError, try operation.shownState() == state + 1 {
            state += 1
            wasShort = true
            return nil
        }
        refusals["\(refusal.code) \(pattern.joined(separator: " "))", default: 0] += 1
        return refusal
    }

    private func check(_ when: String) throws {
        do {
            let shown = try operation.shownState()
            guard shown == state else { throw StressFailure("the process shows state \(shown)") }
            let stored = try operation.storedState()
            guard stored == state else { throw StressFailure("the store has state \(stored)") }
            try operation.checkFiles()
        } catch {
            throw StressFailure("\(when), in state \(state): \(error)")
        }
    }
}
