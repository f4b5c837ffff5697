import ModelTools

/// What there is to say about a model while it is edited: what is wrong with it, its version hashes, the classes that
/// are generated for it, and what its changes mean for stores.
package struct ModelAnalysis: Encodable, Sendable {
    package struct Hash: Encodable, Sendable, Equatable {
        package let entity: String
        /// Hexadecimal digits.
        package let hash: String
        /// Whether the model that it is compared with has another one, or none.
        package let isChanged: Bool
    }

    package struct Source: Encodable, Sendable {
        package let name: String
        package let text: String
    }

    /// What the difference from another state of the model means for stores of that state.
    package struct Migration: Encodable, Sendable {
        /// The state: a version, or the version as it was saved.
        package let from: String
        package let difference: ModelDifference?
        package let allowsLightweightMigration: Bool
        /// Why the two cannot be compared.
        package let problem: String?
    }

    package let findings: [ModelFinding]
    /// Base64, as stores and `VersionInfo.plist` have it; nil if the model cannot be read.
    package let checksum: String?
    package let hashes: [Hash]
    package let sources: [Source]
    package let notices: [String]
    /// Why there are no sources.
    package let sourceProblem: String?
    package let migration: Migration

    /// Analyses a tree.
    ///
    /// - Parameters:
    ///   - name: the name of the model.
    ///   - base: the state that stores are supposed to be of, and what it is called.
    package init(
        of tree: ModelElement, name: String, comparedWith base: (name: String, tree: ModelElement),
        style: GenerationOptions.Style = .plain
    ) {
        findings = ModelCheck.findings(in: tree)
        let read = Self.reading { try NSManagedObjectModel(tree: tree) }
        let readBase = Self.reading { try NSManagedObjectModel(tree: base.tree) }
        let old = readBase.model?.entityVersionHashesByName ?? [:]
        let new = read.model?.entityVersionHashesByName
        hashes = (new ?? [:]).map { Hash(entity: $0, hash: $1.hexadecimal, isChanged: old[$0] != $1) }
            .sorted { ModelElement.precedes($0.entity, $1.entity) }
        checksum = new.map(NSManagedObjectModel.versionChecksum)
        do {
            let (generator, notice) = try Self.generator(tree, name, style)
            sources = generator.files.map { Source(name: $0.name, text: $0.text) }
            notices = (notice.map { [$0] } ?? []) + generator.notices.map(\.description)
            sourceProblem = nil
        } catch {
            sources = []
            notices = []
            sourceProblem = Self.sentence(error)
        }
        if let old = readBase.model, let new = read.model {
            let difference = ModelDifference(from: old, to: new)
            migration = Migration(
                from: base.name, difference: difference,
                allowsLightweightMigration: difference.allowsLightweightMigration, problem: nil)
        } else {
            migration = Migration(
                from: base.name, difference: nil, allowsLightweightMigration: false,
                problem: read.problem ?? readBase.problem)
        }
    }

    /// A generator of the classes of all entities; where one cannot be made, of those that the model requests, with
    /// a notice.
    private static func generator(
        _ tree: ModelElement, _ name: String, _ style: GenerationOptions.Style
    ) throws -> (SourceGenerator, notice: String?) {
        func generator(_ selection: GenerationOptions.Selection) throws -> SourceGenerator {
            try SourceGenerator(
                contents: tree, name: name, GenerationOptions(style: style, selection: selection))
        }
        do {
            return (try generator(.all), nil)
        } catch let error as GenerationError {
            return (try generator(.model), "Only classes that a build generates are shown. \(error)")
        }
    }

    private static func reading(
        _ body: () throws -> NSManagedObjectModel
    ) -> (model: NSManagedObjectModel?, problem: String?) {
        do {
            let model = try body()
            // Properties are looked up in tables from now on.
            model.makeImmutable()
            return (model, nil)
        } catch {
            return (nil, sentence(error))
        }
    }

    static func sentence(_ error: any Error) -> String {
        (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    }
}
