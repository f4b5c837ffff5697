import CocoaFoundation

extension NSMappingModel {
    /// Reads a mapping model from a file, and says what is wrong if it cannot be read.
    ///
    /// - Parameter url: a folder `.xcmappingmodel`, the file `xcmapping.xml` in it, or a compiled mapping model
    ///   `.cdm`.
    /// - Throws: `ModelFileError` with the file, the line, the entity mapping and property, and the reason.
    public convenience init(loading url: URL) throws {
        let file = XcodeMappingFile.xmlFile(of: url)
        let model: NSMappingModel
        do {
            let data = try BoundedFile.read(file, limit: ModelElement.Limit.fileSize)
            model =
                if BinaryPropertyList.isBinaryPropertyList(data) {
                    try CompiledMappingReader.mappingModel(data)
                } else {
                    try XcodeMappingFile(data: data).mappingModel
                }
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
        self.init()
        entityMappings = model.entityMappings
    }

    /// Reads a mapping model from a file.
    ///
    /// - Returns: `nil` if there is no mapping model that can be read. `init(loading:)` says why.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do {
            try self.init(loading: url)
        } catch {
            return nil
        }
    }

    /// Finds the mapping model between two models among the resources of bundles.
    ///
    /// It is one whose entity mappings have the version hashes of the entities of the two models. Files that
    /// cannot be read are passed over.
    ///
    /// - Parameters:
    ///   - bundles: the bundles; `nil` stands for the main bundle.
    ///   - sourceModel: the model of the store.
    ///   - destinationModel: the model that the store is to have.
    /// - Returns: `nil` if there is none, or if a model is missing.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        let files = (bundles ?? [.main]).flatMap(Self.files)
        let found = files.lazy.compactMap { NSMappingModel(contentsOf: $0) }
            .first { $0.leads(from: sourceModel, to: destinationModel) }
        guard let found else { return nil }
        self.init()
        entityMappings = found.entityMappings
    }

    private static func files(of bundle: Bundle) -> [URL] {
        ["cdm", "xcmappingmodel"].flatMap { kind -> [URL] in
            let found = bundle.urls(forResourcesWithExtension: kind, subdirectory: nil) ?? []
            return found.map { $0 as URL }.sorted { $0.path.utf8Precedes($1.path) }
        }
    }

    /// Whether the mappings are between entities of these versions of two models, and there is one at least.
    package func leads(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> Bool {
        let mappings = (entityMappings ?? []).filter {
            $0.sourceEntityName != nil || $0.destinationEntityName != nil
        }
        func fits(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
            guard let name else { return true }
            return hash != nil && hashes[name] == hash
        }
        let sourceHashes = source.entityVersionHashesByName
        let destinationHashes = destination.entityVersionHashesByName
        return !mappings.isEmpty
            && mappings.allSatisfy {
                fits($0.sourceEntityName, $0.sourceEntityVersionHash, sourceHashes)
                    && fits($0.destinationEntityName, $0.destinationEntityVersionHash, destinationHashes)
            }
    }
}
