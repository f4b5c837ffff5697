import Foundation
import ModelPorting
import TestSupport
import Testing

/// Sources that are broken, or made to break the porter.
@Suite struct HostileSourceTests {
    private func errors(_ bytes: [UInt8]) -> [String] {
        let ported = SourcePort([PortSource(name: "A.swift", bytes: bytes)]).ported()[0]
        #expect((ported.text == nil) == ported.diagnostics.contains { $0.severity == .error })
        return ported.diagnostics.map(\.description)
    }

    @Test("A syntax error has its line")
    func brokenSourcesHaveThePlaceOfTheError() {
        #expect(errors(Array("class A {\n    func b( {\n}".utf8)).contains { $0.hasPrefix("A.swift:2:") })
        #expect(
            errors(Array("let a = 1\nlet = 2".utf8)) == ["A.swift:2:5: error: expected pattern in variable"])
    }

    @Test("Syntax errors of a long source have their lines and a bounded number")
    func errorsOfALongSourceArePlacedToo() {
        let source =
            String(repeating: "func a() { b() }\n", count: 200) + "func c( {\n"
            + String(repeating: "    d()\n", count: 200)
        let errors = errors(Array(source.utf8))
        #expect(!errors.isEmpty && errors.count <= 50)
        #expect(errors.first?.hasPrefix("A.swift:201:") == true)
    }

    @Test("A source that is not UTF-8 is refused at its line and column")
    func sourcesOtherThanUTF8AreRefused() {
        #expect(
            errors(Array("let a = 1\nlet b = \"".utf8) + [0xC3, 0x28]) == [
                "A.swift:2:10: error: the file is not UTF-8: save it as UTF-8"
            ])
        #expect(errors([0xFF, 0xFE]) == ["A.swift:1:1: error: the file is not UTF-8: save it as UTF-8"])
        #expect(errors([]).isEmpty)
    }

    @Test("A source that is too large or too long is refused")
    func hugeSourcesAreRefused() {
        let bytes = [UInt8](repeating: 32, count: 3 << 20)
        #expect(errors(bytes) == ["A.swift:1:1: error: the file has more than 2 MiB: divide it"])
        let words = Array(String(repeating: "try ", count: 60_000).utf8)
        #expect(errors(words) == ["A.swift:1:1: error: the file is too long to be parsed: divide it"])
    }

    @Test(
        "Porting thousands of repetitions ends",
        arguments: [
            ("(", ""), ("[", ""), ("{", ""), ("a.", ""), ("a(", ""), ("\"\\(", ""), ("-", "let x = "),
            ("try ", ""), ("if ", ""),
            ("if a {} else ", "let x = "), ("a ? ", "let x = "), ("a ? b : ", "let x = "),
            ("A -> ", "let x: "),
            ("A<", "let x: "),
            ("some ", "let x: "), ("any ", "let x: "), ("@a ", ""), ("#if a\n", ""), ("#", ""),
            ("class A { ", ""), ("switch ", ""), ("repeat ", ""),
            ("let ", ""), ("case ", ""), ("[[", "#keyPath("), ("a.", "let x = #keyPath("), ("&", "let x = "),
            ("A & ", "let x: "), ("\u{0}", ""),
            ("\"\"\"\n", ""), ("/*", ""), ("#\"", ""), ("`", ""), ("@objc(", ""), ("@NSManaged ", ""),
            ("?.", "a"), (".A", "let x: A"), ("a { ", ""),
        ])
    func repetitionsEnd(_ part: String, _ start: String) {
        let source = start + String(repeating: part, count: 2_000)
        _ = errors(Array(source.utf8))
    }

    @Test("Brackets nested too deeply are refused at their line and column")
    func bracketsThatTheParserWouldDwellOnAreRefusedAtTheirPlace() {
        let message = "error: brackets nest too deeply here to be parsed: give inner parts names of their own"
        #expect(
            errors(Array("let a = 1\nlet b = [[[[[[[[[[[[[1]]]]]]]]]]]]]".utf8)) == [
                "A.swift:2:21: \(message)"
            ])
        #expect(
            errors(Array("let b = [/*let*/[[[[/* /* */ let */[[[[//let\n[[[[a_let[`let`[".utf8)) == [
                "A.swift:2:4: \(message)"
            ])
        #expect(errors(Array("@a(@b.c(@a (@a(@a(@a(@a(".utf8)) == ["A.swift:1:24: \(message)"])
        let common = (0..<40).map { "func a\($0)() { b([[[1]]], \"[\", x[0][1]) }  // [" }.joined(
            separator: "\n")
        #expect(errors(Array(common.utf8)).isEmpty)
    }

    @Test("A source that takes too long is an error, and later ones are not parsed")
    func aSourceThatTakesTooLong() {
        let sources = ["A", "B"].map { PortSource(name: "\($0).swift", text: "let a = 1") }
        let ported = SourcePort(sources, timeLimit: -1).ported()
        #expect(ported.map(\.text) == [nil, nil])
        #expect(
            ported.flatMap(\.diagnostics).map(\.description) == [
                "A.swift:1:1: error: parsing the file takes too long: divide it",
                "B.swift:1:1: error: not parsed, because 'A.swift' took too long: divide that file",
            ])
    }

    @Test("Cyclic and very long inheritance ends")
    func hostileInheritanceEnds() {
        let cycle =
            "class A: B { @NSManaged var a: Int }\nclass B: A {}\nclass C: C {}\ntypealias D = D\nclass E: D {}"
        _ = errors(Array(cycle.utf8))
        let chain = (1...600).map { "class C\($0): C\($0 - 1) { @NSManaged var a: Int }" }.joined(
            separator: "\n")
        _ = errors(Array(chain.utf8))
    }

    @Test("A mutated source keeps its number of lines or has an error")
    func mutatedSourcesNeverStopTheProgram() {
        var numbers = Fuzzing.numbers(seed: 0x90_27)
        let seed = Array(Self.seed.utf8)
        let words = [
            "@objc ", "@NSManaged ", "#keyPath(", "#selector(", "class ", "{", "}", "(", ")", "\"",
            "#if os(iOS)\n", "#endif\n", ",",
            ": ", "override ", "init(entity:insertInto:) ", "var ", "?", "\n", "/*", "extension Book ",
            "validateA(_ a: ", "\u{0}", "ü",
        ].map { Array($0.utf8) }
        var portedCount = 0
        for _ in 0..<Fuzzing.rounds(120) {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &numbers)
                case 1:
                    bytes.removeSubrange(
                        place..<min(bytes.count, place + Int.random(in: 1...30, using: &numbers)))
                case 2: bytes.insert(contentsOf: words.randomElement(using: &numbers) ?? [], at: place)
                default:
                    let end = min(bytes.count, place + 60)
                    bytes.insert(
                        contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &numbers))
                }
            }
            let ported = SourcePort([
                PortSource(name: "A.swift", bytes: bytes), PortSource(name: "B.swift", bytes: seed),
            ]).ported()
            guard let text = ported[0].text else {
                #expect(ported[0].diagnostics.contains { $0.severity == .error })
                continue
            }
            portedCount += 1
            // The lines are where they were, whatever was in them.
            let start = text.range(of: "#sourceLocation(file: \"A.swift\", line: 1)\n")?.upperBound
            let body = start.map { text[$0...].components(separatedBy: "\n#sourceLocation()\n")[0] } ?? ""
            let lines = String(decoding: bytes, as: UTF8.self).split(
                omittingEmptySubsequences: false, whereSeparator: \.isNewline
            ).count
            #expect(body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count == lines)
        }
        #expect(portedCount > 0)
    }

    private static let seed = """
        import CoreData
        import UIKit
        @objc(Book) public class Book: NSManagedObject {
            @NSManaged public var a, b: Int16
            @NSManaged private var primitiveC: Date?
            @objc dynamic var d: String { #keyPath(Book.a) }
            @objc class func keyPathsForValuesAffectingD() -> Set<String> { [#keyPath(a)] }
            @objc func validateA(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            override init(entity: NSEntityDescription, insertInto c: NSManagedObjectContext?) { super.init(entity: entity, insertInto: c) }
            #if DEBUG
            @objc var e = #selector(NSString.compare(_:))
            #endif
        }
        extension Book { @objc(addPagesObject:) @NSManaged func addToPages(_ v: Page) }
        """
}
