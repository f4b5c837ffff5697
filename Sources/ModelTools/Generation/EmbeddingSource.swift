import ManagedObjectModel

/// The text that makes a model part of a program: its versions, and the classes with generated properties.
struct EmbeddingSource {
    /// The name by which the model is found.
    let name: String
    let versions: [(name: String, contents: ModelElement)]
    let currentVersion: String
    let classes: [GeneratedClass]
    private let classOfEntity: [ObjectIdentifier: GeneratedClass]

    init(
        name: String, versions: [(name: String, contents: ModelElement)], currentVersion: String,
        classes: [GeneratedClass]
    ) {
        self.name = name
        self.versions = versions
        self.currentVersion = currentVersion
        self.classes = classes
        classOfEntity = Dictionary(classes.map { (ObjectIdentifier($0.entity), $0) }) { first, _ in first }
    }

    var text: String {
        """
        // Tells the framework of the model before the program's first line runs: the linker puts the address of the
        // function among those that are called when the program is loaded.
        @used
        #if objectFormat(ELF)
        @section(".init_array")
        #elseif objectFormat(MachO)
        @section("__DATA,__mod_init_func,mod_init_funcs")
        #elseif objectFormat(COFF)
        @section(".CRT$XCU")
        #endif
        nonisolated private let _announcement: @convention(c) () -> Void = {
            CoreData.EmbeddedModel.announce {
                _model().register()
            }
        }

        nonisolated private func _model() -> CoreData.EmbeddedModel {
            CoreData.EmbeddedModel(
                name: \(SwiftName.literal(name)),
                currentVersion: \(SwiftName.literal(currentVersion)),
                versions: [
        \(versions.map(versionText).joined())        ],
                classes: [
        \(classes.map(classText).joined())        ])
        }

        """
    }

    private func versionText(_ version: (name: String, contents: ModelElement)) -> String {
        "            .init(\(SwiftName.literal(version.name)), \(Self.rawLiteral(version.contents.compactXML))),\n"
    }

    private func classText(_ generated: GeneratedClass) -> String {
        var lines = ["            .init(\(generated.name.text).self) { keys in"]
        for property in listed(generated) {
            lines.append(
                "                keys.add(\(SwiftName.literal(property.key)), \\\(generated.name.text).\(property.name))"
            )
        }
        return lines.joined(separator: "\n") + "\n            },\n"
    }

    /// The properties of a class and those that it inherits from generated ones.
    private func listed(_ generated: GeneratedClass) -> [GeneratedProperty] {
        generated.entity.lineage.flatMap { classOfEntity[ObjectIdentifier($0)]?.properties ?? [] }
    }

    /// A text as a raw literal, which needs no other character changed.
    static func rawLiteral(_ text: String) -> String {
        var pounds = "#"
        while text.contains("\"" + pounds) || text.contains("\\" + pounds) { pounds += "#" }
        return "\(pounds)\"\"\"\n\(text)\n\"\"\"\(pounds)"
    }
}

extension ModelElement {
    /// The XML of a model without what only the model editor needs: indentation, and the places in the diagram.
    ///
    /// Each entity is on a line of its own.
    var compactXML: String {
        var root = self
        root.children.removeAll { $0.name == "elements" }
        var text = root.startTag(isEmpty: false)
        for child in root.children { text += "\n" + child.xmlOnOneLine }
        return text + "\n</\(name)>"
    }

    /// The depth is that of the file that was read, which is bounded.
    private var xmlOnOneLine: String {
        let content = Self.escaped(text) + children.map(\.xmlOnOneLine).joined()
        return content.isEmpty ? startTag(isEmpty: true) : "\(startTag(isEmpty: false))\(content)</\(name)>"
    }

    private func startTag(isEmpty: Bool) -> String {
        let attributes = attributes.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined()
        return "<\(name)\(attributes)\(isEmpty ? "/" : "")>"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case _ where scalar.value < 0x20: escaped += "&#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
