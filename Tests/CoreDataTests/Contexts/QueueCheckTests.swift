import CoreData
import Foundation
import Testing

@testable import ObjectGraph

/// How the check that contexts are used on their queues is turned on and off.
@Suite struct QueueCheckTests {
    private static let argument = "-com.apple.CoreData.ConcurrencyDebug"
    private static let variable = "OPENCOREDATA_CONCURRENCY_DEBUG"

    @Test(
        "B8: An argument of the program, or else a variable of its environment, turns the check on or off",
        arguments: [
            (["program"], [:], nil),
            (["program", argument, "0"], [:], false),
            (["program", argument, "1"], [:], true),
            (["program", argument, "3"], [:], true),
            (["program", "-other", "0"], [:], nil),
            (["program"], [variable: "0"], false),
            (["program"], [variable: "1"], true),
            (["program"], ["OTHER": "0"], nil),
            // The argument counts first.
            (["program", argument, "0"], [variable: "1"], false),
            (["program", argument, "1"], [variable: "0"], true),
            // One without a value says nothing.
            (["program", argument], [:], nil),
            (["program", argument], [variable: "0"], false),
        ] as [([String], [String: String], Bool?)])
    func settings(_ arguments: [String], _ environment: [String: String], _ expected: Bool?) {
        #expect(
            ConcurrencyDebugging.setting(arguments: arguments, environment: environment) == expected)
    }

    @Test("B8: A process with the variable 0 uses objects outside of their queue unchecked")
    func turnedOff() async {
        // A process of its own: what its environment says is read once.
        await #expect(processExitsWith: .success) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "0", 1)
            let context = try TestStack().context()
            let author = context.performAndWait { Author(context: context) }
            author.name = "elsewhere"
            #expect(author.name == "elsewhere")
        }
    }

    @Test(
        "B8: With the variable 1 the check stops the program, and the message names both ways to turn it off")
    func turnedOn() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("OPENCOREDATA_CONCURRENCY_DEBUG", "1", 1)
            let context = try TestStack().context()
            let author = context.performAndWait { Author(context: context) }
            author.name = "elsewhere"
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("CoreData concurrency violation"))
        #expect(text.contains("\(Self.argument) 0"))
        #expect(text.contains("\(Self.variable)=0"))
    }
}
