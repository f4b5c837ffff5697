import FuzzerDriver
import ManagedObjectModel
import ModelTools

/// Models and mapping models, as text and compiled.
enum Models {
    static var subjects: [FuzzedSubject] {
        [
            FuzzedSubject("compiled-models", longestInput: 16 << 10) { data in
                try use(NSManagedObjectModel(compiled: data))
            },
            FuzzedSubject("model-copies", longestInput: 16 << 10) { data in
                try use(NSManagedObjectModel(modelCacheArchive: data))
            },
            compiledMappings,
            FuzzedSubject("editor-archives", longestInput: 8192) { data in
                let tree = try XcodeModelFile.tree(of: data, in: URL(fileURLWithPath: "/elements"))
                try use(NSManagedObjectModel(tree: tree))
            },
            FuzzedSubject("model-texts") { data in
                let tree = try ModelElement(xml: data)
                // A text that is not a model is checked as well, and says more than one mistake.
                _ = ModelCheck.findings(in: tree).map(\.description)
                let text = try tree.xml()
                try mustHold(ModelElement(xml: text).xml() == text, "written as another text")
                try use(NSManagedObjectModel(tree: tree))
                _ = try SourceGenerator(contents: tree, name: "Model").files
            },
            FuzzedSubject("mapping-texts", longestInput: 8192) { data in
                _ = try XcodeMappingFile(data: data).mappingModel.entityMappings.map(\.description)
            },
        ]
    }

    private static var compiledMappings: FuzzedSubject {
        let folder = ScratchFolder()
        return FuzzedSubject("compiled-mappings") { data in
            let model = try NSMappingModel(loading: folder.file("Mapping.cdm", data))
            _ = model.entityMappings.map(\.description)
        }
    }

    /// All operations on a model that could be read.
    private static func use(_ model: NSManagedObjectModel) throws {
        let hashes = model.entityVersionHashesByName
        _ = model.inconsistencies().map(\.description)
        _ = ModelCheck.findings(in: model).map(\.description)
        let compiled = try model.compiledData()
        try mustHold(
            NSManagedObjectModel(compiled: compiled).entityVersionHashesByName == hashes,
            "compiled as another model")
        _ = try ModelElement(model: model).xml()
    }
}
