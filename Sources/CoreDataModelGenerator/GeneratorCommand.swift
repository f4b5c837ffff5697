import Foundation
import ManagedObjectModel
import ModelTools

/// One run of the tool.
enum GeneratorCommand {
    case model(URL, module: String?, classes: URL, embedding: URL)
    case names(URL)

    struct UsageError: Error {
        let detail: String
    }

    init(_ arguments: [String]) throws {
        guard let kind = arguments.first, arguments.count >= 2 else {
            throw UsageError(detail: "expected 'model <model> …' or 'names <file>'")
        }
        let subject = URL(filePath: arguments[1])
        var options: [String: String] = [:]
        var rest = arguments.dropFirst(2)
        while let option = rest.popFirst() {
            guard ["--module", "--classes", "--embedding"].contains(option), let value = rest.popFirst()
            else {
                throw UsageError(detail: "the option '\(option)' is unknown or has no value")
            }
            options[option] = value
        }
        switch kind {
        case "names" where options.isEmpty:
            self = .names(subject)
        case "model":
            guard let classes = options["--classes"], let embedding = options["--embedding"] else {
                throw UsageError(detail: "'model' needs --classes and --embedding")
            }
            self = .model(
                subject, module: options["--module"], classes: URL(filePath: classes),
                embedding: URL(filePath: embedding))
        default:
            throw UsageError(detail: "'\(kind)' is unknown or takes no options")
        }
    }

    func run() throws {
        switch self {
        case .names(let file):
            try FrameworkNames.file.write(to: file)
        case .model(let model, let module, let classes, let embedding):
            do {
                let generator = try SourceGenerator(
                    readingModelAt: model, GenerationOptions(module: module))
                for notice in generator.notices {
                    FileHandle.standardError.write(Data("\(model.path): warning: \(notice)\n".utf8))
                }
                try generator.classesFile.write(to: classes)
                try generator.modelFile.write(to: embedding)
            } catch let error as GenerationError {
                throw ModelError(model: model, error: error)
            }
        }
    }

    /// What cannot be generated, with the model.
    struct ModelError: Error {
        let model: URL
        let error: GenerationError
    }

    static func message(for error: any Error) -> String {
        switch error {
        case let error as UsageError: return "CoreDataModelGenerator: error: \(error.detail)"
        case let error as ModelError: return "\(error.model.path): error: \(error.error)"
        case let error as ModelFileError:
            let location = [error.file?.path ?? "model", error.line.map(String.init)].compactMap { $0 }
            let text = [error.element, error.detail].compactMap { $0 }.joined(separator: ": ")
            return "\(location.joined(separator: ":")): error: \(text)"
        default: return "CoreDataModelGenerator: error: \(error.localizedDescription)"
        }
    }
}
