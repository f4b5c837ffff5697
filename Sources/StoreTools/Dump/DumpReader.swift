import CoreData

/// Reads the text of a `StoreDump` once, from front to back: first what precedes the objects, then these.
package final class DumpReader {
    private let url: URL
    private let reader: JSONReader
    private var isFirstMember = true
    /// Whether the objects come next.
    private var isBeforeObjects = false

    /// - Throws: an error when the file cannot be read.
    package init(_ url: URL) throws {
        self.url = url
        reader = try JSONReader(url)
    }

    /// No model that we know of has an archive of more than 3 MB.
    private static let maximumModelLength = 64 << 20

    /// What precedes the objects.
    package struct Header {
        /// The archive of the model, in raw deflate.
        package var modelArchive: Data?
        package var metadata: [String: JSONValue] = [:]
        fileprivate(set) var isModelReconstructed = false
        fileprivate(set) var origin = ModelReconstruction.tables

        /// What the model was made from; nil for a real one.
        package var reconstruction: ModelReconstruction? { isModelReconstructed ? origin : nil }

        /// The model; nil when the dump has none.
        ///
        /// - Throws: an error when the archive cannot be read.
        func model() throws -> NSManagedObjectModel? {
            try modelArchive.map {
                try NSManagedObjectModel(
                    modelCacheArchive: try RawDeflate.decompress($0, limit: maximumModelLength))
            }
        }
    }

    /// Reads what precedes the objects; to be called first.
    ///
    /// - Throws: an error that names the position, when it is not what a dump has there.
    package func header() throws -> Header {
        try naming {
            var header = Header()
            var format = JSONValue.null
            var version = JSONValue.null
            try reader.beginObject()
            while !isBeforeObjects, let name = try reader.key(&isFirstMember) {
                switch name {
                case "format": format = try reader.value()
                case "version": version = try reader.value()
                case "model": header.modelArchive = try modelArchive()
                case "reconstructedFrom":
                    guard case .string(let text) = try reader.value(),
                        let origin = ModelReconstruction(rawValue: text)
                    else {
                        throw reader.failure("'reconstructedFrom' is neither 'tables' nor 'objects'")
                    }
                    header.origin = origin
                case "isModelReconstructed":
                    guard case .bool(let flag) = try reader.value() else {
                        throw reader.failure("'isModelReconstructed' is not a Boolean")
                    }
                    header.isModelReconstructed = flag
                case "metadata":
                    guard case .object(let members) = try reader.value() else {
                        throw reader.failure("'metadata' is not an object")
                    }
                    header.metadata = members
                case "entities":
                    guard format != .null, version != .null else {
                        throw Self.isBehind("'format', 'version'")
                    }
                    isBeforeObjects = true
                default: throw reader.failure("a dump has no member '\(name)'")
                }
            }
            guard format == .string(StoreDump.format) else {
                throw StoreToolError("it is not a dump: 'format' is not \"\(StoreDump.format)\"")
            }
            guard version == .number(String(StoreDump.version)) else {
                throw StoreToolError("it is a dump of a version that is not known here")
            }
            return header
        }
    }

    private func modelArchive() throws -> Data {
        guard case .string(let text) = try reader.value(), let data = Data(base64Encoded: text) else {
            throw reader.failure("'model' is not in base64")
        }
        return data
    }

    /// Hands out the objects, one at a time, and how many bytes of the file were read; to be called once, after
    /// `header()`.
    ///
    /// - Throws: an error that names the position; what `body` throws.
    package func forEachObject(_ body: (ObjectReference, [String: JSONValue], Int) throws -> Void) throws {
        try naming {
            if isBeforeObjects {
                try reader.beginList()
                var isFirst = true
                while try reader.hasElement(&isFirst) { try readEntity(body) }
                if let name = try reader.key(&isFirstMember) { throw Self.isBehind("'\(name)'") }
            }
            try reader.end()
        }
    }

    /// A dump is read from front to back, and objects cannot be made without what the others say.
    private static func isBehind(_ names: String) -> StoreToolError {
        StoreToolError(
            """
            \(names) must stand before 'entities', as everything else; a program that sorts the members of a dump \
            makes it unreadable
            """)
    }

    private func readEntity(_ body: (ObjectReference, [String: JSONValue], Int) throws -> Void) throws {
        var entity: String?
        try reader.beginObject()
        var isFirstMember = true
        while let name = try reader.key(&isFirstMember) {
            switch name {
            case "name":
                guard case .string(let text) = try reader.value() else {
                    throw reader.failure("'name' is not a string")
                }
                entity = text
            case "objects":
                try reader.beginList()
                var isFirst = true
                while try reader.hasElement(&isFirst) {
                    guard case .object(let values) = try reader.value(),
                        case .string(let text)? = values[ObjectValues.objectID],
                        let reference = ObjectReference(text)
                    else {
                        throw reader.failure(
                            "an object with '\(ObjectValues.objectID)', such as \"Book/1\", is expected")
                    }
                    guard entity.map({ $0 == reference.entity }) ?? true else {
                        throw reader.failure("\(reference) stands among the objects of \(entity ?? "")")
                    }
                    try body(reference, values, reader.byteCount)
                }
            default: throw reader.failure("an entity of a dump has no member '\(name)'")
            }
        }
    }

    private func naming<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as StoreToolError {
            throw StoreToolError("\(url.path): \(error.description)")
        }
    }
}
