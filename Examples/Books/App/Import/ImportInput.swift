import Foundation

/// The bytes to import, from a file or from standard input.
final class ImportInput {
    private static let pieceSize = 256 * 1024
    private let handle: FileHandle
    /// What to call it in messages.
    let name: String
    /// The number of bytes; nil if it is not known.
    let size: Int?

    /// - Throws: a sentence when the file cannot be opened.
    init(path: String) throws {
        guard path != "-" else {
            handle = .standardInput
            name = "Standard input"
            size = nil
            return
        }
        name = path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw TextProblem("There is no file \(path).")
        }
        guard !isFolder.boolValue else { throw TextProblem("\(path) is a folder.") }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw TextProblem("\(path) cannot be read.")
        }
        self.handle = handle
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let isRegular = attributes?[.type] as? FileAttributeType == .typeRegular
        size = isRegular ? (attributes?[.size] as? NSNumber)?.intValue : nil
    }

    deinit { try? handle.close() }

    /// The next piece; nil at the end.
    func next() throws -> Data? { try handle.read(upToCount: Self.pieceSize) }
}
