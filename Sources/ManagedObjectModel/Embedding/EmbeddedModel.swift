import CocoaFoundation

/// A model that is part of the program's code.
///
/// The plugin `CoreDataModelPlugin` generates one for each `.xcdatamodeld` of a target, and registers it before the program's first line
/// runs. `NSPersistentContainer(name:)` then finds the model by its name from any module, with no file beside the program. You do not make
/// one yourself.
///
/// All versions are included, so that a store of an older version can be migrated. The XML is read when the model is first used; an
/// invalid one is a `ModelFileError` there.
public struct EmbeddedModel: Sendable {
    /// One version of an embedded model: its name and the XML of its file `contents`. Generated code makes it.
    public struct Version: Sendable {
        /// The name: that of the folder `.xcdatamodel` without its extension.
        public let name: String
        /// The XML of the version.
        package let contents: String

        /// A version of this name.
        ///
        /// - Parameters:
        ///   - name: the name of the folder `.xcdatamodel` without its extension.
        ///   - contents: the XML of its file `contents`; elements that are only for the model editor may be left out.
        public init(_ name: String, _ contents: String) {
            self.name = name
            self.contents = contents
        }
    }

    /// A class whose properties were generated, with the keys of its Swift key paths. Generated code makes it; `KeyPathNames` has the keys
    /// as soon as the class is used.
    public struct ObjectClass: Sendable {
        package let type: AnyClass
        package let list: @Sendable (inout PropertyKeys) -> Void

        /// The class and a function that lists its properties, inherited ones included.
        public init(_ type: AnyClass, _ list: @escaping @Sendable (inout PropertyKeys) -> Void) {
            self.type = type
            self.list = list
        }
    }

    /// The list into which generated code writes the key of each key path of a class, inherited properties included.
    public struct PropertyKeys {
        /// The keys with the key paths that begin at the class.
        package private(set) var entries: [(key: String, keyPath: AnyKeyPath)] = []

        package init() {}

        /// Adds a property.
        public mutating func add(_ key: String, _ keyPath: AnyKeyPath) { entries.append((key, keyPath)) }
    }

    /// The name: that of the folder without its extension.
    public let name: String
    /// The module that brings it along, where its classes are looked for.
    public let module: String
    /// The name of the version that applications use.
    public let currentVersion: String
    /// All versions.
    public let versions: [Version]
    package let classes: [ObjectClass]

    /// A model for the program to bring along.
    ///
    /// - Parameters:
    ///   - name: the name by which it is found.
    ///   - currentVersion: the name of the version that applications use.
    ///   - versions: all versions.
    ///   - classes: the generated classes, and those with generated properties.
    ///   - fileID: identifies the module; leave it out.
    public init(
        name: String, currentVersion: String, versions: [Version], classes: [ObjectClass],
        fileID: String = #fileID
    ) {
        self.name = name
        self.currentVersion = currentVersion
        self.versions = versions
        self.classes = classes
        module = fileID.split(separator: "/").first.map(String.init) ?? ""
    }

    /// Enters the model among those of the program.
    public func register() { EmbeddedModels.add(self) }

    /// Reads the current version.
    ///
    /// - Throws: `ModelFileError` if its text is not a model.
    package func model() throws -> NSManagedObjectModel {
        guard let version = versions.first(where: { $0.name == currentVersion }) else {
            throw ModelFileError(
                .unknownName, "the embedded model '\(name)' has no version '\(currentVersion)'")
        }
        return try model(of: version)
    }

    /// Reads a version.
    ///
    /// - Throws: `ModelFileError` if its text is not a model.
    package func model(of version: Version) throws -> NSManagedObjectModel {
        let model = try NSManagedObjectModel(tree: ModelElement(xml: Data(version.contents.utf8)))
        model.noteClassModule(module)
        return model
    }
}
