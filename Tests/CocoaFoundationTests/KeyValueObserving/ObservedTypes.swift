import Foundation

@testable import CocoaFoundation

/// A class that announces its changes, as a managed object does.
class Writer: KeyValueObserving {
    var observationCenter: ObservationCenter?

    var name: String? {
        willSet { willChangeValue(forKey: "name") }
        didSet { didChangeValue(forKey: "name") }
    }
    var mentor: Writer? {
        willSet { willChangeValue(forKey: "mentor") }
        didSet { didChangeValue(forKey: "mentor") }
    }

    init(_ name: String? = nil) { self.name = name }

    func value(forKey key: String) -> Any? {
        switch key {
        case "name": name
        case "mentor": mentor
        default: preconditionFailure("no key \(key)")
        }
    }

    func setValue(_ value: Any?, forKey key: String) { preconditionFailure("not needed") }

    class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }
}

/// A class with properties of every kind, some computed from others.
final class Novel: KeyValueObserving, KeyPathNaming {
    var observationCenter: ObservationCenter?

    static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        [
            ("title", \Novel.title), ("year", \Novel.year), ("writer", \Novel.writer), ("tags", \Novel.tags),
            ("chapters", \Novel.chapters), ("label", \Novel.label), ("writer.name", \Novel.writer?.name),
        ]
    }

    var title: String? {
        willSet { willChangeValue(for: \.title) }
        didSet { didChangeValue(for: \.title) }
    }
    var year: Int = 0 {
        willSet { willChangeValue(forKey: "year") }
        didSet { didChangeValue(forKey: "year") }
    }
    var writer: Writer? {
        willSet { willChangeValue(forKey: "writer") }
        didSet { didChangeValue(forKey: "writer") }
    }
    var tags: Set<String> = []
    var chapters: [String] = []

    /// Computed from the title and from the writer's name.
    var label: String { "\(title ?? "?") by \(writer?.name ?? "?")" }

    /// Two keys that depend on each other.
    var circular: String? { title }

    /// Computed, and an object: who taught the writer.
    var teacher: Writer? { writer?.mentor }

    init(_ title: String? = nil, by writer: Writer? = nil) {
        self.title = title
        self.writer = writer
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "title": title
        case "year": year
        case "writer": writer
        case "tags": tags
        case "chapters": chapters
        case "label": label
        case "teacher": teacher
        case "circular", "circle": circular
        default: preconditionFailure("no key \(key)")
        }
    }

    func setValue(_ value: Any?, forKey key: String) { preconditionFailure("not needed") }

    static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "label": ["title", "writer.name"]
        case "teacher": ["writer.mentor"]
        case "circular": ["circle", "title"]
        case "circle": ["circular"]
        default: []
        }
    }

    func change(_ tags: Set<String>, _ mutation: NSKeyValueSetMutationKind) {
        willChangeValue(forKey: "tags", withSetMutation: mutation, using: tags)
        switch mutation {
        case .union: self.tags.formUnion(tags)
        case .minus: self.tags.subtract(tags)
        case .intersect: self.tags.formIntersection(tags)
        case .set: self.tags = tags
        }
        didChangeValue(forKey: "tags", withSetMutation: mutation, using: tags)
    }

    func insertChapter(_ chapter: String, at index: Int) {
        willChange(.insertion, valuesAt: [index], forKey: "chapters")
        chapters.insert(chapter, at: index)
        didChange(.insertion, valuesAt: [index], forKey: "chapters")
    }

    func removeChapter(at index: Int) {
        willChange(.removal, valuesAt: [index], for: \.chapters)
        chapters.remove(at: index)
        didChange(.removal, valuesAt: [index], for: \.chapters)
    }

    func replaceChapter(at index: Int, by chapter: String) {
        willChange(.replacement, valuesAt: [index], forKey: "chapters")
        chapters[index] = chapter
        didChange(.replacement, valuesAt: [index], forKey: "chapters")
    }
}

/// An observer with the method, which records each notification as a short string.
final class Witness: KeyValueObserver {
    private(set) var notes: [String] = []
    private(set) var changes: [[NSKeyValueChangeKey: Any]] = []
    var reaction: (() -> Void)?

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        var note = keyPath ?? "?"
        for (name, key) in [("old", NSKeyValueChangeKey.oldKey), ("new", .newKey)] {
            guard let value = change?[key] else { continue }
            note += " \(name) \(value is NSNull ? "null" : "\(value)")"
        }
        if change?[.notificationIsPriorKey] as? Bool == true { note += " prior" }
        notes.append(note)
        if let change { changes.append(change) }
        reaction?()
    }

    func take() -> [String] {
        defer { notes = [] }
        return notes
    }
}
