/// What is not saved yet.
struct ChangesPage {
    struct Object {
        let name: String
        let href: String?
        let state: String
        let badge: String
        let kind: String
        let values: [UnsavedObject.Value]
        let hasValues: Bool
    }

    let frame: Frame
    let objects: [Object]
    let isEmpty: Bool
    /// How many more there are than are shown.
    let more: Int
    let hasMore: Bool
    /// Whether the page asks for confirmation to discard all this.
    let isDiscarding: Bool

    static let limit = 200

    init(_ objects: [UnsavedObject], isDiscarding: Bool, frame: Frame) {
        self.frame = frame
        self.objects = objects.map { object in
            Object(
                name: object.name, href: object.uuid.map { "/books/\($0.uuidString.lowercased())" },
                state: object.state.rawValue, badge: object.state.rawValue.capitalized,
                kind: object.kind == .book ? "Book" : "Author", values: object.values,
                hasValues: !object.values.isEmpty)
        }
        isEmpty = objects.isEmpty
        more = max(0, frame.unsaved.total - objects.count)
        hasMore = more > 0
        self.isDiscarding = isDiscarding
    }
}

/// A page with nothing but a message: an error, a question.
struct MessagePage {
    let frame: Frame
    let heading: String
    let sentences: [String]
    let back: String
}
