import ManagedObjectModel

/// Writes Swift source text for the entities of a model, laid out as Xcode lays it out.
///
/// ```swift
/// let generator = try SourceGenerator(readingModelAt: URL(filePath: "Books.xcdatamodeld"))
/// for file in generator.files { try file.write(to: folder.appending(path: file.name)) }
/// ```
package struct SourceGenerator {
    /// The name of the model.
    package let name: String
    /// What is left out, and why.
    package let notices: [GenerationNotice]
    private let classes: [GeneratedClass]
    private let composites: [CompositeSource]
    private let context: ModelContext
    private let versions: [(name: String, contents: ModelElement)]
    private let currentVersion: String

    /// Reads a model for its classes and, from a folder of Xcode, for its text.
    ///
    /// - Parameters:
    ///   - url: `.xcdatamodeld` or `.xcdatamodel`.
    ///   - version: the version that the classes are for; nil for the current one.
    /// - Throws: `ModelFileError` if that version cannot be read or is not there, `GenerationError` if an entity
    ///   cannot be a class.
    package init(
        readingModelAt url: URL, version: String? = nil, _ options: GenerationOptions = GenerationOptions()
    ) throws {
        let file = try XcodeModelFile(url: url)
        let current = try version.map(file.version(named:)) ?? file.currentVersion
        var notices: [GenerationNotice] = []
        var versions: [(name: String, contents: ModelElement)] = []
        for version in file.versions where version != current {
            do {
                let contents = try XcodeModelFile.contents(of: version.url)
                _ = try NSManagedObjectModel(tree: contents)
                versions.append((version.name, contents))
            } catch let error as ModelFileError {
                notices.append(
                    GenerationNotice(
                        element: version.name, detail: "the version is not part of the program: \(error)"))
            }
        }
        let contents = try XcodeModelFile.contents(of: current.url)
        let model: NSManagedObjectModel
        do {
            model = try NSManagedObjectModel(tree: contents)
        } catch let error as ModelFileError {
            throw error.inFile(XcodeModelFile.file(of: current.url))
        }
        versions.append((current.name, contents))
        try self.init(
            model, name: url.deletingPathExtension().lastPathComponent,
            composites: contents.children(named: "composite"), options, notices: notices, versions: versions,
            currentVersion: current.name)
    }

    /// Makes the text of a model that is at hand.
    ///
    /// A model that was not read from Xcode's files does not have the names of composite types, nor the setting which
    /// entities get classes: see `GenerationOptions.selection`.
    ///
    /// - Throws: `GenerationError` if an entity cannot be a class.
    package init(
        _ model: NSManagedObjectModel, name: String, _ options: GenerationOptions = GenerationOptions()
    ) throws {
        try self.init(
            model, name: name, composites: [], options, notices: [], versions: [], currentVersion: "")
    }

    /// Makes the text of the model of a `contents` file that is at hand.
    ///
    /// - Throws: `ModelFileError` if the tree is not a model, `GenerationError` if an entity cannot be a class.
    package init(
        contents: ModelElement, name: String, _ options: GenerationOptions = GenerationOptions()
    ) throws {
        try self.init(
            NSManagedObjectModel(tree: contents), name: name,
            composites: contents.children(named: "composite"), options, notices: [], versions: [],
            currentVersion: "")
    }

    private init(
        _ model: NSManagedObjectModel, name: String, composites definitions: [ModelElement],
        _ options: GenerationOptions, notices: [GenerationNotice],
        versions: [(name: String, contents: ModelElement)], currentVersion: String
    ) throws {
        self.name = name
        self.versions = versions
        self.currentVersion = currentVersion
        let names = definitions.compactMap { $0["name"] }
        let context = try ModelContext(model, composites: names, options)
        var notices = notices
        try Self.checkNames(model, &notices)
        var classes: [GeneratedClass] = []
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            let generation = try CodeGeneration(entity, options.selection)
            guard generation != .none else { continue }
            classes.append(try GeneratedClass(entity, generation, context, &notices))
        }
        try Self.check(classes, composites: names)
        self.classes = classes
        self.context = context
        self.notices = notices
        // Apple's framework has no value types for composites, and Xcode writes none.
        let byName = Dictionary(zip(names, definitions)) { first, _ in first }
        composites =
            options.style == .apple
            ? [] : try definitions.map { try CompositeSource($0, among: byName, context) }
    }

    /// Checks that no property has a name that stops the use of the model, and notes what else contradicts itself.
    private static func checkNames(
        _ model: NSManagedObjectModel, _ notices: inout [GenerationNotice]
    ) throws {
        for found in model.inconsistencies() {
            let element = [found.entity, found.property].compactMap { $0 }.joined(separator: ".")
            switch found.problem {
            case .missingName, .duplicateName, .reservedName, .redefinedProperty:
                throw GenerationError(element: element, detail: found.detail)
            default:
                notices.append(
                    GenerationNotice(element: element, detail: "the model cannot be used: \(found.detail)"))
            }
        }
    }

    /// Names that the text uses, and that cannot be distinguished from a class of the same name in the same module.
    private static let hidingNames: Set<String> = [
        "CocoaFoundation", "CoreData", "Foundation", "NSFetchRequest", "Swift", "_ManagedKey",
    ]

    /// Checks that each type is generated once.
    private static func check(_ classes: [GeneratedClass], composites: [String]) throws {
        var owners: [String: String] = [:]
        for generated in classes {
            guard !hidingNames.contains(generated.name.name) else {
                throw GenerationError(
                    element: generated.entityName,
                    detail: "a class '\(generated.name.name)' hides a type that every generated class uses")
            }
            var accessors: [String: String] = [:]
            for property in generated.properties {
                guard case .toMany = property.kind else { continue }
                let other = accessors.updateValue(property.key, forKey: SwiftName.capitalized(property.key))
                guard let other else { continue }
                throw GenerationError(
                    element: "\(generated.entityName).\(property.key)",
                    detail: "its accessors would have the same names as those of '\(other)'")
            }
            if let other = owners.updateValue(generated.entityName, forKey: generated.name.name) {
                throw GenerationError(
                    element: generated.entityName,
                    detail: """
                        the class '\(generated.name.name)' is generated for entity '\(other)' too; classes of several \
                        entities are written by hand, with the setting Manual/None
                        """)
            }
        }
        for name in composites where owners[name] != nil {
            throw GenerationError(
                element: name, detail: "an entity's class and a composite type have the same name")
        }
    }

    // MARK: Files

    /// A file for each class and for each extension, named as Xcode names them, and one for the value types of
    /// composites if there are any.
    package var files: [GeneratedFile] {
        var files: [GeneratedFile] = []
        for generated in classes {
            let source = ClassSource(generated: generated, context: context)
            let base = generated.name.name
            if generated.generation == .classDefinition {
                files.append(file(base + GeneratedFile.classSuffix, [source.declaration]))
            }
            files.append(file("\(base)+CoreDataProperties.swift", [source.members]))
        }
        if !composites.isEmpty {
            files.append(file("\(name)+CoreDataComposites.swift", composites.map(\.declaration)))
        }
        return files
    }

    /// All classes, extensions and value types in one file, `Books+CoreDataClasses.swift`.
    package var classesFile: GeneratedFile {
        var parts: [String] = []
        for generated in classes {
            let source = ClassSource(generated: generated, context: context)
            if generated.generation == .classDefinition { parts.append(source.declaration) }
            parts.append(source.members)
        }
        return file("\(name)+CoreDataClasses.swift", parts + composites.map(\.declaration))
    }

    /// The model itself, with all its versions, for a program that brings it along: `Books+CoreDataModel.swift`.
    ///
    /// It goes into the same module as the classes.
    package var modelFile: GeneratedFile {
        let source = EmbeddingSource(
            name: name, versions: versions, currentVersion: currentVersion, classes: classes)
        return file("\(name)+CoreDataModel.swift", [source.text], isVisible: false)
    }

    /// - Parameter isVisible: whether the text declares anything that other modules see.
    private func file(_ fileName: String, _ parts: [String], isVisible: Bool = true) -> GeneratedFile {
        let access: GenerationOptions.Access =
            isVisible && options.style == .plain ? options.access : .internal
        let modules = options.style == .plain ? context.otherModules : []
        let imports = modules.map { "#if canImport(\($0))\nimport \($0)\n#endif\n" }.joined()
        let head = """
            //
            //  \(SwiftName.comment(fileName))
            //  Made from the model \(SwiftName.comment(name)). Change the model, not this file: it will be made again.
            //

            import Foundation
            \(FrameworkNames.importing(access))
            \(imports)
            """
        return GeneratedFile(fileName, ([head] + parts).joined(separator: "\n"))
    }

    private var options: GenerationOptions { context.options }
}
