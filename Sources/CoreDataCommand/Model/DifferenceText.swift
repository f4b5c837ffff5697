import ModelTools

/// The difference of two models as text: a line an entity, and below it a line a property and a setting.
struct DifferenceText {
    private(set) var lines: [String] = []
    private let output: Output

    init(_ difference: ModelDifference, in output: Output) {
        self.output = output
        for entity in difference.entities {
            add(entity.change, "entity \(name(entity.name, entity.oldName))", indent: "")
            add(entity.settings, indent: "    ")
            for property in entity.properties {
                add(
                    property.change, "\(property.kind) \(name(property.name, property.oldName))", indent: "  "
                )
                add(property.settings, indent: "      ")
            }
        }
        for part in difference.configurations {
            add(part.change, "configuration \(part.name)", indent: "")
            add(part.settings, indent: "    ")
        }
        for part in difference.fetchRequests {
            add(part.change, "fetch request \(part.name)", indent: "")
            add(part.settings, indent: "    ")
        }
        if !lines.isEmpty { lines.append("") }
        lines += conclusion(difference)
    }

    private func conclusion(_ difference: ModelDifference) -> [String] {
        guard !difference.isEmpty else { return ["The models are equal."] }
        guard difference.changesVersionHashes else {
            return ["Stores of the older model open with the newer one: no version hash changes."]
        }
        guard !difference.allowsLightweightMigration else {
            return ["Stores have to be migrated; a lightweight migration can do it."]
        }
        return ["Stores have to be migrated, and a lightweight migration cannot do it:"]
            + difference.obstacles.map { "  \($0)" }
    }

    private func name(_ name: String, _ oldName: String?) -> String {
        oldName.map { "\(name) (was \($0))" } ?? name
    }

    private mutating func add(_ change: ModelDifference.Change, _ text: String, indent: String) {
        let (sign, style): (String, Style) =
            switch change {
            case .added: ("+", .green)
            case .removed: ("-", .red)
            case .renamed, .changed: ("~", .yellow)
            }
        lines.append(indent + output.styled("\(sign) \(text)", style))
    }

    private mutating func add(_ settings: [ModelDifference.Setting], indent: String) {
        for setting in settings {
            lines.append("\(indent)\(setting.name): \(setting.old ?? "none") → \(setting.new ?? "none")")
        }
    }
}
