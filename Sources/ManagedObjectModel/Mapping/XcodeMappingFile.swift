import CocoaFoundation

/// A mapping model in the files of Xcode: a folder `.xcmappingmodel` with a file `xcmapping.xml`, or that file
/// alone, with what the file says besides the mapping model itself.
package struct XcodeMappingFile {
    /// The path of the source model in the project that the mapping model belongs to.
    package let sourceModelPath: String?
    /// The path of the destination model in the project.
    package let destinationModelPath: String?
    /// The source model as it was when the mapping model was saved; `nil` if the file does not hold it. It cannot
    /// be changed; a copy can.
    package let sourceModel: NSManagedObjectModel?
    /// The destination model as it was when the mapping model was saved; `nil` if the file does not hold it. It
    /// cannot be changed; a copy can.
    package let destinationModel: NSManagedObjectModel?
    /// The metadata of the store that the file is.
    package let metadata: [String: Any]
    /// The mapping model.
    package let mappingModel: NSMappingModel

    /// Reads the file of a mapping model.
    ///
    /// - Throws: `ModelFileError` with the file, the line, the entity mapping and the reason.
    package init(url: URL) throws {
        let file = Self.xmlFile(of: url)
        do {
            try self.init(data: BoundedFile.read(file, limit: ModelElement.Limit.fileSize))
        } catch var error as ModelFileError {
            error.file = file
            throw error
        }
    }

    /// Reads the text of a mapping model.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package init(data: Data) throws {
        let document = try XMLStoreDocument(ModelElement(xml: data, allowsDocumentType: true))
        var reader = try XcodeMappingReader(document)
        mappingModel = try reader.mappingModel()
        sourceModelPath = reader.sourceModelPath
        destinationModelPath = reader.destinationModelPath
        sourceModel = reader.sourceModel
        destinationModel = reader.destinationModel
        metadata = document.metadata
    }

    /// The XML file of a mapping model that may be a folder.
    static func xmlFile(of url: URL) -> URL {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        return exists && isDirectory.boolValue ? url.appendingPathComponent("xcmapping.xml") : url
    }
}
