import Foundation

/// A binary property list, taken apart without any trust in the bytes.
///
/// Stores hold property lists that anyone may have written: keyed archives in transformable attributes,
/// metadata, models. Foundation's own reader hands keyed archives to code that stops the program on the first
/// surprise, so such bytes are read here. Parsing is not recursive, takes time and memory in proportion to the
/// length of the data, and throws ``MalformedPropertyList`` for whatever does not fit.
///
/// The objects of a property list are in a table and name each other by their index there. A table may hold
/// cycles; ``checkTree(maximumDepth:maximumWeight:)`` rules them out for those who follow references.
package struct BinaryPropertyList {
    /// One object of the table. References are indexes into ``BinaryPropertyList/nodes``.
    package enum Node {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// An integer greater than `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
        /// Seconds since 2001-01-01 UTC.
        case date(Double)
        case data(Data)
        case string(String)
        /// A reference of a keyed archive, which a plain property list does not hold.
        case identifier(UInt64)
        case array([Int])
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// The table of objects.
    package let nodes: [Node]

    /// The index of the outermost object.
    package let root: Int

    /// Whether data begins as a binary property list does.
    package static func isBinaryPropertyList(_ data: Data) -> Bool {
        data.starts(with: Self.magic)
    }

    static let magic = Data("bplist".utf8)

    /// How many objects, and how many references to them, a property list may have as a rule.
    package static let maximumObjects = 10_000_000

    /// Takes a binary property list apart.
    ///
    /// - Parameter maximumObjects: how many objects, and how many references to them, there may be. Each takes a byte or two
    ///   of the data and many times as much of memory, so they are counted before they are made.
    /// - Throws: ``MalformedPropertyList``.
    package init(_ data: Data, maximumObjects: Int = BinaryPropertyList.maximumObjects) throws {
        let bytes = [UInt8](data)
        self = try bytes.withUnsafeBufferPointer { bytes in
            var parser = try BinaryPropertyListParser(bytes, maximumObjects: maximumObjects)
            return BinaryPropertyList(nodes: try parser.parseNodes(), root: parser.root)
        }
    }

    /// Makes a property list of its table of objects.
    package init(nodes: [Node], root: Int) {
        self.nodes = nodes
        self.root = root
    }
}

/// What is wrong with the bytes of a property list.
package struct MalformedPropertyList: Error, CustomStringConvertible {
    /// The fault, as the end of a sentence.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { "The property list is damaged: \(reason)." }
}

extension BinaryPropertyList.Node {
    /// The indexes of the objects that this one holds.
    var references: [Int] {
        switch self {
        case .array(let elements), .set(let elements): elements
        case .dictionary(let keys, let values): keys + values
        default: []
        }
    }
}

extension BinaryPropertyList {
    /// Checks that following the references from the root comes to an end.
    ///
    /// - Parameters:
    ///   - maximumDepth: How deep containers may be nested.
    ///   - maximumWeight: How many objects there may be when each shared one is counted as often as it is
    ///     reached. Thirty arrays that each hold the next one twice are small as a table and a thousand million
    ///     objects as a tree.
    /// - Throws: ``MalformedPropertyList`` for a cycle and beyond a limit.
    /// - Complexity: O(objects + references), not recursive.
    package func checkTree(maximumDepth: Int, maximumWeight: Int) throws {
        struct Visit {
            let node: Int
            let references: [Int]
            var next = 0
            var height = 0
            var weight = 1
        }
        enum Mark { case open, done(height: Int, weight: Int) }

        var marks: [Mark?] = Array(repeating: nil, count: nodes.count)
        var path = [Visit(node: root, references: nodes[root].references)]
        marks[root] = .open
        while var visit = path.popLast() {
            if visit.next == visit.references.count {
                marks[visit.node] = .done(height: visit.height, weight: visit.weight)
                if var parent = path.popLast() {
                    parent.height = max(parent.height, visit.height + 1)
                    parent.weight += visit.weight
                    path.append(parent)
                }
            } else {
                let child = visit.references[visit.next]
                visit.next += 1
                switch marks[child] {
                case .open:
                    throw MalformedPropertyList("an object contains itself")
                case .done(let height, let weight):
                    visit.height = max(visit.height, height + 1)
                    visit.weight += weight
                    path.append(visit)
                case nil:
                    marks[child] = .open
                    path.append(visit)
                    path.append(Visit(node: child, references: nodes[child].references))
                }
            }
            // Weights are checked before they are added up any further, so that no sum overflows.
            if let top = path.last, top.weight > maximumWeight {
                throw MalformedPropertyList("it expands to more than \(maximumWeight) objects")
            }
            if path.count > maximumDepth || (path.last?.height ?? 0) > maximumDepth {
                throw MalformedPropertyList("it is nested more than \(maximumDepth) deep")
            }
        }
    }
}
