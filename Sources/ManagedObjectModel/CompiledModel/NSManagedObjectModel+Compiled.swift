import CocoaFoundation

extension NSManagedObjectModel {
    /// Makes a model of the contents of a `.mom` file.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package convenience init(compiled data: Data) throws {
        guard !CompiledModelFolder.isOptimized(data) else { throw CompiledModelFolder.optimized() }
        self.init()
        var reader = try CompiledModelReader(data)
        try reader.build(self)
    }

    /// Makes a model of the copy that a store has of it, after it has been inflated.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package convenience init(modelCacheArchive data: Data) throws {
        try self.init(compiled: data)
    }
}
