import SwiftSyntax

extension FilePort {
    /// Moves the import of a module that may not be here before the source's first line, under `#if canImport`, which
    /// needs lines of its own.
    func portImport(_ node: ImportDeclSyntax) {
        guard let name = node.path.first?.name.identifierText else { return }
        if name == "CoreData" {
            // `import class CoreData.NSManagedObject` imports nothing else.
            if node.importKindSpecifier == nil { importsCoreData = true } else { importsOthers = true }
            // Submodules, as in `import CoreData.CoreDataDefines`, are Objective-C headers.
            if node.importKindSpecifier == nil, let first = node.path.first, node.path.count > 1 {
                replace(node.path, with: first.name.text)
            }
            return
        }
        importsOthers = true
        importedModules.insert(name)
        guard !AppleModules.everywhere.contains(name) else { return }
        // A condition such as `compiler(>=6)` says nothing about where a module of Apple's is.
        if isConditional, importableModules.contains(name) || !AppleModules.names.contains(name) { return }
        let text = node.tokens(viewMode: .sourceAccurate).map(\.text).joined(separator: " ")
            .replacing("@ ", with: "@").replacing(" . ", with: ".")
        header += ["#if canImport(\(name))", text]
        if name == "Combine" {
            // Closed when it is known what the source uses of it.
            combineImport = (header.count, node.positionAfterSkippingLeadingTrivia)
        } else if AppleModules.names.contains(name) {
            frameworks.append((name, node.positionAfterSkippingLeadingTrivia))
        } else {
            // A module of the package, or one of Apple's that is not known: the compiler finds out.
            let line = source.locations.location(for: node.positionAfterSkippingLeadingTrivia).line
            header += [
                "#else", "#warning(\"There is no module '\(name)' here, which line \(line) imports.\")",
            ]
        }
        header.append("#endif")
        replace(node, with: "")
        if let semicolon = node.parent?.parent?.as(CodeBlockItemSyntax.self)?.semicolon
            ?? node.parent?.as(CodeBlockItemSyntax.self)?.semicolon
        {
            remove(semicolon)
        }
    }

    /// Imports what is in modules of their own here.
    func importPartsOfFoundation() {
        closeCombineImport()
        for (part, names) in AppleModules.partsOfFoundation
        where !importedModules.contains(part)
            && usedNames.contains(where: { names.contains($0.key) && !module.declares($0.key) })
        {
            importsOthers = true
            header += ["#if canImport(\(part))", "import \(part)", "#endif"]
        }
    }

    /// OpenCombine replaces Combine, which has the same names, where the target has it. A source that uses none of them
    /// does not ask for it: whether a module is there that the target does not depend on, is chance.
    private func closeCombineImport() {
        let usesNames = usedNames.contains {
            AppleModules.isName($0.key, of: "Combine") && !module.declares($0.key)
        }
        guard let (line, location) = combineImport, usesNames || usesPublishers else { return }
        let number = source.locations.location(for: location).line
        header.insert(
            contentsOf: [
                "#elseif canImport(CoreDataOpenCombine)", "import CoreDataOpenCombine",
                "#elseif canImport(OpenCombine)", "import OpenCombine", "#else",
                "#warning(\"There is no 'Combine' here, which line \(number) imports: add the product "
                    + "CoreDataOpenCombine of OpenCoreData to the target, which brings OpenCombine along.\")",
            ], at: line)
    }

    /// Says which frameworks' names the source cannot do without.
    func warnOfMissingFrameworks() {
        for framework in frameworks {
            let used = usedNames.filter { name, _ in
                AppleModules.isName(name, of: framework.name) && !module.declares(name)
            }
            guard let first = used.min(by: { $0.value < $1.value }) else { continue }
            let line = source.locations.location(for: first.value).line
            warn(
                "'\(framework.name)' is only on Apple's platforms, and line \(line) uses '\(first.key)' of it: leave that "
                    + "out with '#if canImport(\(framework.name))', or declare the name for other platforms",
                at: framework.location)
        }
    }
}
