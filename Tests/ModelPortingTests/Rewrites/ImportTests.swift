import ModelPorting
import Testing

@Suite struct ImportTests {
    @Test("Imports of Apple's frameworks move under conditions")
    func appleFrameworksMoveUnderConditions() {
        let ported = Ported(
            "import UIKit  // views\n@testable import os.log\nimport class CloudKit.CKRecord\nlet a = 1")
        #expect(
            ported.header == [
                "#if canImport(UIKit)", "import UIKit", "#endif", "#if canImport(os)",
                "@testable import os.log", "#endif",
                "#if canImport(CloudKit)", "import class CloudKit.CKRecord", "#endif", "import CoreData",
            ])
        #expect(ported.lines == ["  // views", "", "", "let a = 1"])
    }

    @Test("A source that imports Foundation imports Core Data")
    func foundationBringsOurModule() {
        #expect(Ported("import Foundation").header == ["import CoreData"])
        #expect(Ported("import Foundation\nimport CoreData").header.isEmpty)
        #expect(Ported("import class CoreData.NSManagedObject").header == ["import CoreData"])
        #expect(Ported("let a = 1").header.isEmpty)
    }

    @Test("Imports under conditions that check for their modules stay")
    func importsUnderConditionsStay() {
        let source = "#if canImport(UIKit)\nimport UIKit\n#elseif canImport(AppKit)\nimport AppKit\n#endif"
        #expect(Ported(source).lines == source.split(separator: "\n").map(String.init))
    }

    @Test("Imports under other conditions get a condition that checks for their modules")
    func importsUnderConditionsThatSayNothing() {
        let ported = Ported("#if compiler(>=6.0)\nimport OSLog\nimport Charting\n#endif")
        #expect(ported.header.prefix(3) == ["#if canImport(OSLog)", "import OSLog", "#endif"])
        #expect(ported.lines == ["#if compiler(>=6.0)", "", "import Charting", "#endif"])
    }

    @Test("An import of a Core Data submodule becomes one of Core Data, and attributes stay")
    func importsOfCoreData() {
        #expect(Ported("import CoreData.CoreDataDefines").lines == ["import CoreData"])
        #expect(Ported("@preconcurrency import CoreData").lines == ["@preconcurrency import CoreData"])
    }

    @Test("An import of an unknown module is conditional, with a compiler warning")
    func modulesThatMayNotBeHereAreLeftToTheCompiler() {
        let ported = Ported("import CoreData\nimport Charting\nimport FoundationNetworking")
        #expect(
            ported.header == [
                "#if canImport(Charting)", "import Charting", "#else",
                "#warning(\"There is no module 'Charting' here, which line 2 imports.\")", "#endif",
            ])
        #expect(ported.lines == ["import CoreData", "", "import FoundationNetworking"])
        // Its branches are both ported: what is not known to be Apple's may be here.
        #expect(Ported("#if canImport(Charting)\n@objc class A {}\n#endif").lines[1] == "class A {}")
        #expect(Ported("#if canImport(MediaPlayer)\n@objc class A {}\n#endif").lines[1] == "@objc class A {}")
    }

    @Test("Moving one of several imports on a line leaves no semicolon")
    func importsOnOneLineLeaveNoSemicolon() {
        #expect(Ported("import Combine; import CoreLocation\nlet a = 1").lines == ["", "let a = 1"])
        #expect(
            Ported("import CoreData ; import UIKit; let a = 1 // c").lines == [
                "import CoreData ; let a = 1 // c"
            ])
    }

    @Test("The shebang line of a script is removed")
    func theShebangLineIsRemoved() {
        let ported = Ported("#!/usr/bin/env swift\nimport UIKit\nprint(1)")
        #expect(ported.lines == ["", "", "print(1)"])
        #expect(ported.header.first == "#if canImport(UIKit)")
    }

    @Test(
        "A use of a missing framework has a warning with line and name",
        arguments: [
            ("UIKit", "let a: UIColor? = nil", "UIColor"), ("SwiftUI", "struct A: View {}", "View"),
            ("SwiftUI", "struct A { @FetchRequest(entity: b) var c: D }", "FetchRequest"),
            ("CoreLocation", "let a = CLLocation()", "CLLocation"),
            ("os.log", "os_log(\"a\")", "os_log"), ("Cocoa", "let a = NSImage()", "NSImage"),
        ])
    func usesOfFrameworksAreWarnedOf(_ framework: String, _ use: String, _ name: String) {
        let module = framework.split(separator: ".")[0]
        let ported = Ported("import CoreData\nimport \(framework)\n\(use)")
        #expect(
            ported.warnings == [
                "Book.swift:2:1: warning: '\(module)' is only on Apple's platforms, and line 3 uses '\(name)' of it: leave "
                    + "that out with '#if canImport(\(module))', or declare the name for other platforms"
            ])
        #expect(ported.text != nil)
    }

    @Test("An import of Combine becomes one of OpenCombine, or a compiler warning")
    func combineIsOpenCombine() {
        let ported = Ported("import CoreData\nimport Combine\nlet a = PassthroughSubject<Int, Never>()")
        #expect(ported.warnings.isEmpty)
        #expect(
            ported.header == [
                "#if canImport(Combine)", "import Combine", "#elseif canImport(CoreDataOpenCombine)",
                "import CoreDataOpenCombine", "#elseif canImport(OpenCombine)", "import OpenCombine", "#else",
                "#warning(\"There is no 'Combine' here, which line 2 imports: add the product CoreDataOpenCombine of "
                    + "OpenCoreData to the target, which brings OpenCombine along.\")",
                "#endif",
            ])
        #expect(
            Ported("import Combine\nlet a = b.sink { _ in }").header.contains("import CoreDataOpenCombine"))
        let unused = Ported("import UIKit\nimport Combine\nimport WebKit")
        #expect(
            unused.header == [
                "#if canImport(UIKit)", "import UIKit", "#endif", "#if canImport(Combine)", "import Combine",
                "#endif", "#if canImport(WebKit)", "import WebKit", "#endif", "import CoreData",
            ])
    }

    @Test("Parts of Foundation with modules of their own are imported where used")
    func partsOfFoundationAreImported() {
        let xml = Ported(
            "import Foundation\nclass A: NSObject, XMLParserDelegate { let a = XMLParser(data: b) }")
        #expect(
            xml.header == [
                "#if canImport(FoundationXML)", "import FoundationXML", "#endif", "import CoreData",
            ])
        #expect(
            Ported("import CoreData\nlet a = URLSession.shared").header.contains(
                "import FoundationNetworking"))
        #expect(Ported("import CoreData\nlet a = b.XMLParser").header.isEmpty)
        #expect(Ported("import CoreData\nstruct XMLNode {}\nlet a = XMLNode()").header.isEmpty)
        #expect(Ported("import FoundationXML\nlet a = XMLParser(data: b)").header == ["import CoreData"])
    }

    @Test("An attribute of an import of Core Data stays")
    func attributesOfImportsStay() {
        #expect(Ported("@preconcurrency import CoreData").lines == ["@preconcurrency import CoreData"])
    }

    @Test(
        "An unused framework, or a name declared here, has no warning",
        arguments: [
            "import UIKit\nlet a = UInt8(1)", "#if canImport(UIKit)\nimport UIKit\nlet a: UIColor\n#endif",
            "import SwiftUI\nenum A { enum State {}\nlet a: State }", "import SwiftUI\nlet a = b.View",
            "import UIKit\ntypealias UIColor = String\nlet a: UIColor",
            "import UIKit\n#if os(iOS)\nlet a: UIColor\n#endif",
        ])
    func unusedFrameworks(_ source: String) { #expect(Ported(source).warnings.isEmpty) }
}
