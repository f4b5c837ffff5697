import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Models that contradict themselves are read, so that they can be checked, but not compiled.
struct ContradictoryModelTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "contradictory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let content: String
        let reason: ModelFileError.Reason
        let element: String
        let detail: String
    }

    static let cases = [
        Case(
            testDescription: "two elements of one name",
            content: """
                <entity name="A"><attribute name="c" attributeType="Composite" composite="C"/></entity>
                <composite name="C"><attribute name="x" attributeType="String"/><attribute name="x" attributeType="String"/>
                </composite>
                """,
            reason: .duplicateName, element: "A.c.x", detail: "two elements have this name"),
        Case(
            testDescription: "counts",
            content: """
                <entity name="A"><relationship name="r" minCount="2" maxCount="1" destinationEntity="A"/></entity>
                """,
            reason: .invalidValue, element: "A.r",
            detail: "a minimum of 2 and a maximum of 1 destinations exclude each other"),
        Case(
            testDescription: "indexes",
            content: """
                <entity name="A"><attribute name="x" attributeType="String"/>
                <fetchIndex name="i"><fetchIndexElement property="y" type="Binary" order="ascending"/></fetchIndex>
                <fetchIndex name="i"><fetchIndexElement property="y" type="Binary" order="ascending"/></fetchIndex>
                </entity>
                """,
            reason: .invalidValue, element: "A.i",
            detail: "'y' is not a property of the entity (and 2 more contradictions in the model)"),
    ]

    @Test(
        "A model that contradicts itself is not compiled, and the error names the element",
        arguments: cases)
    func isNotCompiled(_ sample: Case) throws {
        try inFolder { folder in
            let version = folder.appending(path: "M.xcdatamodeld/M.xcdatamodel")
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            try Data("<model>\(sample.content)</model>".utf8).write(to: version.appending(path: "contents"))
            for (source, target) in [("M.xcdatamodeld", "M.momd"), ("M.xcdatamodeld/M.xcdatamodel", "M.mom")]
            {
                let target = folder.appending(path: target)
                let error = #expect(throws: ModelFileError.self) {
                    try CompiledModelFolder.compile(folder.appending(path: source), to: target)
                }
                #expect(error?.reason == sample.reason)
                #expect(error?.element == sample.element)
                #expect(error?.detail == sample.detail)
                #expect(error?.file?.lastPathComponent == "M.xcdatamodel")
                #expect(!FileManager.default.fileExists(atPath: target.path))
            }
            let target = folder.appending(path: "N.momd")
            let error = #expect(throws: ModelFileError.self) {
                try CompiledModelFolder.write([("N", parse(sample.content))], currentVersion: nil, to: target)
            }
            #expect(error?.element == sample.element && error?.file == target)
        }
    }
}
