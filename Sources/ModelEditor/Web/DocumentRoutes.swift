import Hummingbird
import LocalSite
import ModelTools

/// What shows and changes a document.
struct DocumentRoutes: Sendable {
    private let document: ModelDocument

    init(_ document: ModelDocument) { self.document = document }

    /// What a page sends: the version that it shows, and the revision that it has seen.
    private struct ShownVersion: Decodable {
        var version: String?
    }

    private struct Edit: Decodable {
        var version: String
        var revision: Int
        var edit: ModelEdit
    }

    private struct NewVersion: Decodable {
        var name: String
        var from: String
    }

    private struct Name: Decodable {
        var name: String
    }

    private struct Rename: Decodable {
        var name: String
        var to: String
    }

    private struct Removal: Decodable {
        var name: String
        /// The version that is the current one afterwards.
        var current: String?
    }

    private struct Merge: Decodable {
        var version: String?
        var basis: MergeBasis
        var choices: [String: [String: TreeMerge.Side]]
        var keep: Set<String>
    }

    private struct Disk: Encodable {
        var changed: [String]
        var revision: Int
        var isEdited: Bool
    }

    func add(to router: Router<LocalRequestContext>) {
        router.get("api/document") { request, _ in
            let version = request.uri.queryParameters["version"].map(String.init)
            return try await answer { try await document.view(of: version) }
        }
        router.get("api/disk") { _, _ in
            try Response(
                json: await Disk(
                    changed: document.changedOnDisk(), revision: document.revision,
                    isEdited: document.isEdited))
        }
        router.post("api/edit") { request, context in
            let edit = try await request.json(Edit.self, context)
            return try await answer {
                try await document.doing {
                    let location = try $0.perform(edit.edit, in: edit.version, seen: edit.revision)
                    return try $0.view(of: edit.version, location: location)
                }
            }
        }
        router.post("api/undo") { request, context in
            let location = try await request.json(ShownVersion.self, context)
            return try await answer {
                try await document.doing { try $0.viewIfThere(of: $0.undo() ?? location.version) }
            }
        }
        router.post("api/redo") { request, context in
            let location = try await request.json(ShownVersion.self, context)
            return try await answer {
                try await document.doing { try $0.viewIfThere(of: $0.redo() ?? location.version) }
            }
        }
        router.post("api/save") { request, context in
            let location = try await request.json(ShownVersion.self, context)
            return try await answer {
                try await document.doing {
                    try $0.save()
                    // Another window may have given the version another name, or removed it.
                    return try $0.viewIfThere(of: location.version)
                }
            }
        }
        router.post("api/versions") { request, context in
            let new = try await request.json(NewVersion.self, context)
            return try await answer {
                try await document.doing {
                    try $0.addVersion(named: new.name, from: new.from)
                    return try $0.view(of: new.name)
                }
            }
        }
        router.post("api/versions/rename") { request, context in
            let rename = try await request.json(Rename.self, context)
            return try await answer {
                try await document.doing {
                    try $0.renameVersion(rename.name, to: rename.to)
                    return try $0.view(of: rename.to)
                }
            }
        }
        router.post("api/versions/remove") { request, context in
            let removal = try await request.json(Removal.self, context)
            return try await answer {
                try await document.doing {
                    try $0.removeVersion(removal.name, makingCurrent: removal.current)
                    return try $0.view()
                }
            }
        }
        router.post("api/current") { request, context in
            let name = try await request.json(Name.self, context).name
            return try await answer {
                try await document.doing {
                    try $0.setCurrentVersion(name)
                    return try $0.view(of: name)
                }
            }
        }
        router.post("api/merge/preview") { request, context in
            _ = try await request.json(ShownVersion.self, context)
            return try await answer { try await document.previewMerge() }
        }
        router.post("api/reload") { request, context in
            let location = try await request.json(ShownVersion.self, context)
            return try await answer {
                try await document.doing {
                    try $0.reload()
                    return try $0.viewIfThere(of: location.version)
                }
            }
        }
        router.post("api/merge/apply") { request, context in
            let merge = try await request.json(Merge.self, context)
            return try await answer {
                try await document.doing {
                    try $0.merge(merge.choices, keeping: merge.keep, basis: merge.basis)
                    return try $0.viewIfThere(of: merge.version)
                }
            }
        }
    }
}

extension ModelDocument {
    /// Does something, and reads the result before any other request has a turn.
    func doing<Value: Sendable>(
        _ body: @Sendable (isolated ModelDocument) throws -> Value
    ) rethrows -> Value { try body(self) }
}

/// Answers with a value, or says what is wrong.
func answer(_ body: () async throws -> some Encodable) async throws -> Response {
    do {
        return try Response(json: try await body())
    } catch let error as EditError {
        throw SiteError(.unprocessableContent, code: "edit", field: error.setting, error.detail)
    } catch let error as ModelFileError {
        throw SiteError(.unprocessableContent, code: "file", error.description)
    } catch let error as ModelDocument.DiskChanged {
        throw SiteError(.conflict, code: "disk", error.errorDescription ?? "")
    } catch let error as ModelDocument.MergeOutdated {
        throw SiteError(.conflict, code: "merge", error.errorDescription ?? "")
    } catch let error as ModelDocument.StaleRevision {
        throw SiteError(.conflict, code: "stale", error.errorDescription ?? "")
    }
}
