import Foundation
import ManagedObjectModel
import TestSupport
import Testing

@testable import ModelTools

/// Classes for all models of the corpus.
@Suite(.enabled(if: Corpus.isPresent, Comment(rawValue: Corpus.missing)))
struct GenerationCorpusTests {
    /// Versions of models.
    private static var models: [URL] {
        Corpus.some(Corpus.files(named: "contents", under: "models"))
            .map { Corpus.url(($0 as NSString).deletingLastPathComponent) }
    }

    /// The folders with several versions.
    private static var versionedModels: [URL] {
        Set(models.map { $0.deletingLastPathComponent() }).filter { $0.pathExtension == "xcdatamodeld" }
            .sorted { $0.path < $1.path }
    }

    /// Classes that stand for several entities or are inside other types are written by hand; nothing else stops the
    /// generation.
    private static func refused(_ error: any Error) -> Bool {
        guard let detail = (error as? GenerationError)?.detail else { return false }
        return detail.contains("is generated for entity") || detail.contains("is inside another type")
    }

    @Test("Classes generated for every model of the corpus are parsed by the compiler")
    func everyModelGivesTextThatParses() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "Generated-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var texts: Set<String> = []
        var count = (models: 0, classes: 0, shared: 0)
        for url in Self.models {
            for style in GenerationOptions.Style.allCases {
                do {
                    let generator = try SourceGenerator(
                        readingModelAt: url, GenerationOptions(style: style, selection: .all))
                    count.classes += generator.files.count
                    texts.insert(generator.classesFile.text)
                    if style == .plain { texts.insert(generator.modelFile.text) }
                } catch  where Self.refused(error) {
                    count.shared += 1
                    continue
                }
                count.models += 1
            }
            // What the model itself says is generated without exception.
            _ = try SourceGenerator(readingModelAt: url)
        }
        var versions = 0
        for url in Self.versionedModels {
            let text = try SourceGenerator(readingModelAt: url).modelFile.text
            versions += text.components(separatedBy: "            .init(\"").count - 1
            texts.insert(text)
        }
        var files: [String] = []
        for (index, text) in texts.sorted().enumerated() {
            let file = folder.appending(path: "Generated\(index).swift")
            try text.write(to: file, atomically: false, encoding: .utf8)
            files.append(file.path)
        }
        print(
            """
            generated: \(Self.models.count) models in 2 styles; \(count.models) with classes for all entities, \
            \(count.shared) refused for classes that only a person can write; \(count.classes) files, \(files.count) different \
            texts parsed; \(Self.versionedModels.count) models embedded with \(versions) versions
            """)
        #expect(count.models + count.shared == 2 * Self.models.count)
        let complaints = try Self.parse(files, in: folder)
        #expect(complaints.isEmpty, "\(complaints.prefix(2000))")
    }

    /// What the compiler says of files, which it parses without looking at what names mean.
    private static func parse(_ files: [String], in folder: URL) throws -> String {
        let list = folder.appending(path: "files")
        try files.joined(separator: "\n").write(to: list, atomically: false, encoding: .utf8)
        let output = folder.appending(path: "output")
        try "".write(to: output, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swiftc", "-frontend", "-parse", "-swift-version", "6", "@\(list.path)"]
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: output, encoding: .utf8)
        return process.terminationStatus == 0 ? text : "exit code \(process.terminationStatus)\n\(text)"
    }
}
