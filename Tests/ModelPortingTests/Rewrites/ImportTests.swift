import ModelPorting
import Testing

@Suite struct ImportTests {
    @Test func appleFrameworksMoveUnderConditions() {
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

    @Test func foundationBringsOurModule() {
        #expect(Ported("import Foundation").header == ["import CoreData"])
        #expect(Ported("import Foundation\nimport CoreData").header.isEmpty)
        #expect(Ported("import class CoreData.NSManagedObject").header == ["import CoreData"])
        #expect(Ported("let a = 1").header.isEmpty)
    }

    @Test func importsUnderConditionsStay() {
        let source = "#if canImport(UIKit)\nimport UIKit\n#elseif DEBUG\nimport AppKit\n#endif"
        #expect(Ported(source).lines == source.split(separator: "\n").map(String.init))
        #expect(Ported("import Logging\nimport CoreData").lines == ["import Logging", "import CoreData"])
    }
}
