import Foundation

/// Reading of a file that may be larger than it should be, or no file at all.
enum BoundedFile {
    static func read(_ url: URL, limit: Int) throws -> Data {
        let type = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[
            .type]
        guard let type = type as? FileAttributeType else {
            throw ModelFileError(.unreadable, "there is no such file", file: url)
        }
        guard type == .typeRegular else {
            throw ModelFileError(.unreadable, "it is not a regular file", file: url)
        }
        do {
            let data = try FileReading.read(url.path, limit: limit + 1)
            guard data.count <= limit else {
                throw ModelFileError(.tooLarge, "the file is larger than \(limit) bytes", file: url)
            }
            return data
        } catch let error as ModelFileError {
            throw error
        } catch {
            throw ModelFileError(
                .unreadable, "the file cannot be read: \(error.localizedDescription)", file: url)
        }
    }
}
