import Foundation
import FuzzerDriver
import ModelEditor

/// The requests of the page of `coredata edit`.
enum EditorRequests {
    static var subject: FuzzedSubject {
        FuzzedSubject("editor-requests", longestInput: 1024, seconds: 30) { data in
            let requests = PageRequest.list(data)
            guard !requests.isEmpty else { return }
            // Each input has a model of its own: what is found can be found again.
            let folder = ScratchFolder()
            let document = try ModelDocument.create(
                at: folder.url.appendingPathComponent("Library.xcdatamodeld"))
            PageSession.send(requests, to: ModelEditor.site(document))
        }
    }
}
