import ManagedObjectModel

/// The search for mistakes in models: what Xcode warns about and refuses, what Core Data refuses when a model is
/// used, and some of what only shows when it is too late.
///
/// A file that does not load as a model is checked as well: what keeps it from loading is reported and left out,
/// and the rest is checked.
package enum ModelCheck {
    /// Checks the files of a model.
    ///
    /// - Parameters:
    ///   - url: a folder `.xcdatamodeld` or `.momd`, of which every version is checked, a folder `.xcdatamodel`, the
    ///     file `contents` in it, or a compiled model.
    ///   - usesCloudKit: whether the whole model is meant for a store that is kept in CloudKit too. Xcode's files say
    ///     so themselves, or name the configurations that are; compiled models do not.
    /// - Returns: the findings in the order of the versions, and of the elements in each; a file that cannot be
    ///   read is a finding too.
    package static func findings(in url: URL, usesCloudKit: Bool = false) -> [ModelFinding] {
        switch url.pathExtension {
        case "momd":
            let files = compiledVersions(of: url)
            return (files.isEmpty ? [url] : files).flatMap { findings(inCompiled: $0, usesCloudKit) }
                + findings(inListOfVersions: url)
        case "mom", "omo": return findings(inCompiled: url, usesCloudKit)
        case "xcdatamodeld", "xcdatamodel": break
        default:
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
            if !isDirectory.boolValue {
                return findings(inContents: url, usesCloudKit) { try XcodeModelFile.tree(of: url) }
            }
        }
        do {
            return try XcodeModelFile(url: url).versions.flatMap {
                findings(inVersion: $0.url, usesCloudKit)
            }
        } catch {
            return finding(for: error, file: url, isFolder: true) + versionFindings(url, usesCloudKit)
        }
    }

    /// Checks the tree of a `contents` file.
    package static func findings(
        in tree: ModelElement, file: URL? = nil, usesCloudKit: Bool = false
    ) -> [ModelFinding] {
        var check = TreeCheck(tree)
        let cleared = check.run()
        var found = check.findings
        do {
            let model = try NSManagedObjectModel(tree: cleared)
            // Properties are looked up in tables from now on, which keeps the time of the rules in bounds.
            model.makeImmutable()
            found += modelFindings(
                model, usesCloudKit ? .allEntities : CloudKitScope(tree), lines: LineTable(tree))
        } catch {
            // Whatever is wrong has been left out; if it is not, one error is better than none.
            found += finding(for: error, file: nil)
        }
        return ordered(found, file: file)
    }

    /// Checks a model that was built in code or read from a compiled model.
    ///
    /// - Parameter usesCloudKit: whether the model is meant for a store that is kept in CloudKit too.
    package static func findings(in model: NSManagedObjectModel, usesCloudKit: Bool = false) -> [ModelFinding]
    {
        ordered(
            modelFindings(model, usesCloudKit ? .allEntities : .configurations([]), lines: nil), file: nil)
    }

    // MARK: Parts

    private static func modelFindings(
        _ model: NSManagedObjectModel, _ scope: CloudKitScope, lines: LineTable?
    ) -> [ModelFinding] {
        var context = CheckContext(model, lines: lines)
        context.checkConsistency()
        context.checkNames()
        context.checkClasses()
        context.checkEntities()
        context.checkAttributes()
        context.checkRelationships()
        context.checkRequests()
        context.checkConstraints()
        context.checkConfigurations()
        context.checkCloudKit(scope)
        return context.findings
    }

    private static func findings(inVersion url: URL, _ usesCloudKit: Bool) -> [ModelFinding] {
        findings(inContents: XcodeModelFile.file(of: url), usesCloudKit) {
            try XcodeModelFile.contents(of: url)
        }
    }

    private static func findings(
        inContents file: URL, _ usesCloudKit: Bool, _ read: () throws -> ModelElement
    ) -> [ModelFinding] {
        do {
            return findings(in: try read(), file: file, usesCloudKit: usesCloudKit)
        } catch {
            return finding(for: error, file: file)
        }
    }

    /// The models of a folder `.momd`; an optimized copy (`.omo`) only where it is by itself.
    private static func compiledVersions(of url: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter {
            $0.hasSuffix(".mom") || $0.hasSuffix(".omo") && !names.contains($0.dropLast(3) + "mom")
        }.sorted().map(url.appendingPathComponent)
    }

    private static func findings(inCompiled url: URL, _ usesCloudKit: Bool) -> [ModelFinding] {
        do {
            let model = try NSManagedObjectModel(loading: url)
            return ordered(
                modelFindings(model, usesCloudKit ? .allEntities : .configurations([]), lines: nil), file: url
            )
        } catch {
            return finding(for: error, file: url)
        }
    }

    /// Where the hashes in the list of versions are not those of the models. A list that cannot be read is a finding
    /// too.
    private static func findings(inListOfVersions url: URL) -> [ModelFinding] {
        let folder: CompiledModelFolder
        do {
            folder = try CompiledModelFolder(url: url)
        } catch {
            // A folder that cannot be read is reported with its files.
            let isList = (error as? ModelFileError)?.file?.pathExtension == "plist"
            return isList ? finding(for: error, file: url) : []
        }
        return folder.versions.flatMap { version -> [ModelFinding] in
            // A model that does not load is reported by itself.
            guard let written = version.versionHashes,
                let model = NSManagedObjectModel(contentsOf: version.url)
            else { return [] }
            let comparison = VersionHashComparison(of: model, with: written)
            func finding(_ entity: String, _ message: String) -> ModelFinding {
                ModelFinding(.versionHashDiffers, file: version.url.path, entity: entity, message)
            }
            return comparison.onlyInModel.map {
                finding($0, "VersionInfo.plist has no version hash for it")
            }
                + comparison.onlyWritten.map {
                    finding($0, "VersionInfo.plist lists it, but the model does not have it")
                }
                + comparison.changed.map { finding($0, "VersionInfo.plist has another version hash") }
                + comparison.uncertain.map {
                    finding(
                        $0.entity,
                        "VersionInfo.plist has another version hash; that of an entity with "
                            + "\($0.rules.joined(separator: ", ")) cannot be computed with certainty")
                }
        }
    }

    /// The findings in the versions of a folder that does not say which is the current one.
    private static func versionFindings(_ url: URL, _ usesCloudKit: Bool) -> [ModelFinding] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        return names.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
            .flatMap { findings(inVersion: url.appendingPathComponent($0), usesCloudKit) }
    }

    private static func finding(for error: any Error, file: URL?, isFolder: Bool = false) -> [ModelFinding] {
        guard let error = error as? ModelFileError else {
            return [ModelFinding(.unreadable, file: file?.path, error.localizedDescription)]
        }
        let code: ModelFinding.Code =
            switch error.reason {
            case .unreadable, .unwritable: .unreadable
            case .tooLarge: .tooLarge
            case .unsupportedForm: .unsupportedForm
            case .malformed: .malformed
            case .unknownName, .missingValue: isFolder ? .currentVersionUnknown : .invalidSetting
            case .duplicateName: .duplicateName
            case .cycle: .inheritanceCycle
            case .invalidValue, .inexpressible: .invalidSetting
            }
        return [
            ModelFinding(
                code, file: (error.file ?? file)?.path, line: error.line, entity: error.element, error.detail)
        ]
    }

    /// In the order of the lines, and without what was found twice.
    private static func ordered(_ findings: [ModelFinding], file: URL?) -> [ModelFinding] {
        var seen: Set<String> = []
        return findings.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }
            .map { entry in
                var finding = entry.element
                if finding.file == nil { finding.file = file?.path }
                return finding
            }
            .filter { seen.insert($0.description).inserted }
    }
}

/// Which entities have to keep to the rules of CloudKit.
enum CloudKitScope {
    case allEntities
    case configurations(Set<String>)

    init(_ tree: ModelElement) {
        if tree["usedWithCloudKit"]?.lowercased() == "yes" || tree["usedWithCloudKit"]?.lowercased() == "true"
        {
            self = .allEntities
        } else {
            self = .configurations(XcodeDocumentSettings(of: tree).cloudKitConfigurations)
        }
    }
}

/// The lines of the elements of a file by entity and name.
struct LineTable {
    private var entities: [String: Int] = [:]
    private var members: [String: [String: Int]] = [:]
    private var others: [String: Int] = [:]

    init(_ tree: ModelElement) {
        for element in tree.children {
            guard let name = element["name"], let line = element.line else { continue }
            guard element.name == "entity" else {
                let key = Self.key(element.name, name)
                if others[key] == nil { others[key] = line }
                continue
            }
            if entities[name] == nil { entities[name] = line }
            for child in element.children {
                guard let member = child["name"], let line = child.line else { continue }
                if members[name]?[member] == nil { members[name, default: [:]][member] = line }
            }
        }
    }

    private static func key(_ kind: String, _ name: String) -> String { "\(kind) \(name)" }

    /// The line of a member of an entity, or of the entity if there is no such member, or of a configuration or
    /// fetch request.
    func line(_ entity: String?, _ member: String?, kind: String?) -> Int? {
        guard let entity else { return member.flatMap { others[Self.key(kind ?? "", $0)] } }
        if let member, let line = members[entity]?[member] { return line }
        let base = member.map { String($0.prefix { $0 != "." }) }
        return base.flatMap { members[entity]?[$0] } ?? entities[entity]
    }
}
