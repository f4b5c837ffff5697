import ModelTools

/// What the page gets of a document: its versions, and the tree of one of them.
package struct DocumentView: Encodable, Sendable, Equatable {
    package struct Version: Encodable, Sendable, Equatable {
        package let name: String
        package let isCurrent: Bool
        package let isEdited: Bool
        package let problem: String?
    }

    /// An element with its settings; the order is that of the file.
    package struct Element: Encodable, Sendable, Equatable {
        package let kind: String
        package let settings: [String: String]
        package let children: [Element]

        init(_ element: ModelElement) {
            kind = element.name
            settings = Dictionary(element.attributes.map { ($0.name, $0.value) }) { first, _ in first }
            children = element.children.map(Element.init)
        }
    }

    /// The name of the file.
    package let name: String
    package let path: String
    package let revision: Int
    package let isEdited: Bool
    package let undo: String?
    package let redo: String?
    /// What is to be said about the files of the model and the form of this version's.
    package let notices: [String]
    /// Whether versions can be added.
    package let isVersioned: Bool
    package let versions: [Version]
    /// The version whose tree this is.
    package let version: String
    package let root: Element
    /// Where the element is now that the request was about.
    package let location: [Int]?
}

extension ModelDocument {
    /// The same, of the current version if there is none of the name any more.
    func viewIfThere(of version: String?) throws -> DocumentView {
        try view(of: versions.contains { $0.name == version } ? version : nil)
    }

    private var markerNotice: String? {
        markerProblem.map {
            "\($0.description). '\(currentVersion)' is used as the current version; Save records it."
        }
    }

    /// What a page shows of a version; of the current one, or another that can be read, unless it is named.
    ///
    /// - Throws: `EditError` if there is no version of the name, or why it cannot be read.
    package func view(of version: String? = nil, location: [Int]? = nil) throws -> DocumentView {
        let readable = versions.filter { $0.problem == nil }
        let shown =
            try version.map { versions[try index(of: $0)] } ?? readable.first { $0.id == currentID }
            ?? readable.first
        guard let shown else { throw EditError("No version of the model can be read.") }
        return DocumentView(
            name: url.lastPathComponent, path: url.path, revision: revision, isEdited: isEdited,
            undo: undoTitle, redo: redoTitle,
            notices: [markerNotice, notice(about: shown)].compactMap { $0 },
            isVersioned: url.pathExtension == "xcdatamodeld",
            versions: versions.map {
                .init(
                    name: $0.name, isCurrent: $0.id == currentID, isEdited: $0.isEdited,
                    problem: $0.problem)
            },
            version: shown.name, root: .init(shown.tree), location: location)
    }
}
