import SwiftSyntax

extension FilePort {
    /// Moves the import of a framework that only Apple's platforms have before the source's first line, under
    /// `#if canImport`, which needs lines of its own.
    func portImport(_ node: ImportDeclSyntax) {
        guard let name = node.path.first?.name.identifierText else { return }
        if name == "CoreData" {
            // `import class CoreData.NSManagedObject` imports nothing else.
            if node.importKindSpecifier == nil { importsCoreData = true } else { importsOthers = true }
            if let attribute = node.attributes.attribute(named: "preconcurrency") { remove(attribute) }
            return
        }
        importsOthers = true
        guard AppleModules.names.contains(name), !isConditional else { return }
        let text = node.tokens(viewMode: .sourceAccurate).map(\.text).joined(separator: " ")
            .replacing("@ ", with: "@").replacing(" . ", with: ".")
        header += ["#if canImport(\(name))", text, "#endif"]
        replace(node, with: "")
    }
}
