import CocoaFoundation

extension NSManagedObjectModel {
    /// Makes a model of the contents of a `.mom` file.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package convenience init(compiled data: Data) throws {
        try self.init(archive: data, form: .compiled)
    }

    /// Makes a model of the copy that a store has of it, after it has been inflated.
    ///
    /// - Throws: `ModelFileError`, without a file.
    package convenience init(modelCacheArchive data: Data) throws {
        try self.init(archive: data, form: .storeCopy)
    }

    private convenience init(archive data: Data, form: CompiledModelForm) throws {
        guard !CompiledModelFolder.isOptimized(data) else { throw CompiledModelFolder.optimized() }
        self.init()
        var reader = try CompiledModelReader(data, form: form)
        try reader.build(self)
    }

    /// The model as the contents of a `.mom` file, with the classes, keys and values of Apple's model compiler.
    ///
    /// - Throws: `ModelFileError` for a model that contradicts itself, and for a value or a predicate that has no
    ///   archived form.
    package func compiledData() throws -> Data {
        try CompiledModelWriter(self, form: .compiled).write()
    }

    /// The model as the copy that a store keeps of it (`Z_MODELCACHE`), before it is deflated.
    ///
    /// - Throws: `ModelFileError`, as ``compiledData()`` does.
    package func modelCacheArchive() throws -> Data {
        try CompiledModelWriter(self, form: .storeCopy).write()
    }
}
