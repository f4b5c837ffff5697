import ModelTools

// Models that are not in the files that Xcode writes today: of Xcode 3, and compiled ones.
extension ModelDocument {
    /// Whether a model is shown and not edited: whether it is compiled.
    nonisolated var isReadOnly: Bool { Self.isCompiled(url) }

    static func isCompiled(_ url: URL) -> Bool { ["momd", "mom"].contains(url.pathExtension) }

    /// - Throws: `ModelFileError` for anything but a model.
    static func checkForm(_ url: URL) throws {
        guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) || isCompiled(url) else {
            throw ModelFileError(
                .unsupportedForm,
                "its extension is not that of a model: .xcdatamodeld or .xcdatamodel for one of Xcode, .momd or .mom for a compiled one",
                file: url)
        }
    }

    /// Finds the versions of a compiled model.
    ///
    /// - Throws: `ModelFileError` if that cannot be done, or if the list of versions is a link.
    static func readCompiled(_ url: URL) throws -> XcodeModelFile {
        try DocumentVersion.refuseLink(url.appendingPathComponent("VersionInfo.plist"))
        return try XcodeModelFile(compiled: url)
    }

    /// - Throws: `EditError` for a compiled model, with what makes one of it that can be edited.
    func refuseReadOnly() throws {
        if isReadOnly { throw EditError(compiledNotice) }
    }

    /// What is to be said about the form of the file of a version.
    func notice(about version: DocumentVersion) -> String? {
        if isReadOnly { return compiledNotice }
        return version.isArchive
            ? "This version is in the binary format of Xcode 3. Once it is changed, saving writes today's format, a file "
                + "'contents', which is then read instead of 'elements' and 'layout'; those stay in the folder."
            : nil
    }

    private var compiledNotice: String {
        "A compiled model cannot be edited. `coredata model decompile \(url.lastPathComponent)` makes a model "
            + "of it that can be edited."
    }
}

extension DocumentVersion {
    /// Whether the file is one of Xcode 3.
    var isArchive: Bool { savedBytes?.starts(with: Data("bplist".utf8)) ?? false }
}
