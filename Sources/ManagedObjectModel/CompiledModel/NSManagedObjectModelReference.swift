import CocoaFoundation

/// A model that is named by where it is and by its checksum, and looked up when it is needed.
///
/// The stages of a staged migration name the models that they lead from and to by references.
///
/// ```swift
/// let reference = NSManagedObjectModelReference(name: "Library 2", in: .main, versionChecksum: "hXIrxK…=")
/// let model = try reference.resolve()
/// ```
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    private enum Origin {
        case model(NSManagedObjectModel)
        case file(URL)
        case name(String, Bundle?)
        case hashes([String: Data], Bundle?)
    }

    private let origin: Origin
    private let lock = NSLock()
    private var found: NSManagedObjectModel?

    /// The checksum that the model must have: what `NSManagedObjectModel.versionChecksum` says, Xcode shows in its
    /// build log, and `VersionInfo.plist` lists.
    public let versionChecksum: String

    /// Makes a reference to a model that is there already.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        origin = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Makes a reference to the model in a file: `.mom`, `.momd`, `.xcdatamodel` or `.xcdatamodeld`. Of several versions
    /// the one with the checksum is meant.
    public init(fileURL: URL, versionChecksum: String) {
        origin = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Makes a reference to the model, or the version of a model, that has a name in a bundle; `nil` is the main bundle.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        origin = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Makes a reference to the model in a bundle whose entities have the given version hashes; `nil` is the main bundle.
    public init(
        entityVersionHashes versionHash: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String
    ) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash {
            if let name = name as? String, let hash = hash as? Data { hashes[name] = hash }
        }
        origin = .hashes(hashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model.
    ///
    /// - Precondition: there is such a model. Apple's framework raises an exception otherwise; ``resolve()`` throws an
    ///   error.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// Looks the model up.
    ///
    /// - Returns: the same model each time.
    /// - Throws: an error of `NSCocoaErrorDomain` with the code 134504, Apple's `NSManagedObjectModelReferenceNotFoundError`,
    ///   when there is no model at the location of the reference that has its checksum.
    public func resolve() throws -> NSManagedObjectModel {
        try lock.withLock {
            if let found { return found }
            let model = try lookUp()
            found = model
            return model
        }
    }

    private func lookUp() throws -> NSManagedObjectModel {
        let candidates: [NSManagedObjectModel]
        let what: String
        var cause: (any Error)?
        switch origin {
        case .model(let model):
            (candidates, what) = ([model], "the model given")
        case .file(let url):
            what = url.path
            do {
                candidates = try NSManagedObjectModel.versions(at: url).map {
                    try NSManagedObjectModel(loading: $0)
                }
            } catch {
                candidates = []
                cause = error
            }
        case .name(let name, let bundle):
            what = "'\(name)' in \(Self.path(of: bundle))"
            candidates = NSManagedObjectModel.models(named: name, in: bundle ?? .main)
        case .hashes(let hashes, let bundle):
            what = "a model with these version hashes in \(Self.path(of: bundle))"
            candidates = NSManagedObjectModel.modelVersions(in: [bundle ?? .main]).filter {
                $0.entityVersionHashesByName == hashes
            }
        }
        if let model = candidates.first(where: { $0.versionChecksum == versionChecksum }) { return model }
        let checksums = candidates.map(\.versionChecksum).joined(separator: ", ")
        let reason =
            candidates.isEmpty
            ? "There is no model: \(what)" : "The checksum of \(what) is \(checksums), not \(versionChecksum)"
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: reason + (cause.map { ": \($0.localizedDescription)" } ?? ".")
        ]
        if let cause { info[NSUnderlyingErrorKey] = cause }
        throw NSError(domain: NSCocoaErrorDomain, code: Self.notFound, userInfo: info)
    }

    /// Apple's `NSManagedObjectModelReferenceNotFoundError`.
    private static let notFound = 134_504

    private static func path(of bundle: Bundle?) -> String { (bundle ?? .main).bundleURL.path }
}
