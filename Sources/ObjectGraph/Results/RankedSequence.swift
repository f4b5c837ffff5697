/// A sequence that knows the rank of each of its elements: a balanced tree with counts.
///
/// Inserting and removing an element, finding the element of a rank and the rank of an element are O(log n). An element
/// is known by its *place*, which stays the same for as long as the element is in the sequence. Elements can be marked;
/// how many marked ones there are up to an element is O(log n) too.
///
/// The tree is balanced by weight (a node's count and one): a subtree is at most three times as heavy as its sibling.
/// That a rotation restores this after one insertion or removal, a double one where the inner grandchild is at least
/// twice as heavy as the outer, is proven in Hirai and Yamamoto, *Balancing weight-balanced trees* (2011).
///
/// Nodes are entries of an array and refer to each other by index, so that a node costs no allocation.
package struct RankedSequence<Element> {
    /// Stands for an element while it is in the sequence.
    package struct Position: Hashable {
        fileprivate let index: Int32
    }

    private struct Node {
        var element: Element?
        var left: Int32
        var right: Int32
        var parent: Int32
        /// The nodes of the subtree, and the marked ones of them.
        var count: Int32
        var marks: Int32
        var isMarked: Bool
    }

    private static var none: Int32 { -1 }

    private var nodes: ContiguousArray<Node> = []
    private var root = none
    /// Nodes whose elements were removed.
    private var unused: [Int32] = []

    /// Makes a sequence; each element has the position that `positions` has at its index. O(n).
    package init(_ elements: some Collection<Element>) {
        nodes.reserveCapacity(elements.count)
        for element in elements {
            nodes.append(
                Node(
                    element: element, left: Self.none, right: Self.none, parent: Self.none, count: 1,
                    marks: 0, isMarked: false))
        }
        root = build(0, Int32(nodes.count), under: Self.none)
    }

    /// Links the nodes of a range into a tree, no deeper than the logarithm of their number.
    private mutating func build(_ lower: Int32, _ upper: Int32, under parent: Int32) -> Int32 {
        guard lower < upper else { return Self.none }
        let middle = lower + (upper - lower) / 2
        nodes[Int(middle)].parent = parent
        nodes[Int(middle)].left = build(lower, middle, under: middle)
        nodes[Int(middle)].right = build(middle + 1, upper, under: middle)
        update(middle)
        return middle
    }

    // MARK: Reading

    /// How many elements there are. O(1).
    package var count: Int { Int(count(root)) }

    /// How many of them are marked. O(1).
    package var markCount: Int { Int(marks(root)) }

    /// The element at a place. O(1).
    package subscript(position: Position) -> Element {
        get {
            guard let element = nodes[Int(position.index)].element else {
                fatalError("The position no longer has an element.")
            }
            return element
        }
        set { nodes[Int(position.index)].element = newValue }
    }

    /// How many elements come before that at a place. O(log n).
    package func rank(of position: Position) -> Int {
        var rank = count(nodes[Int(position.index)].left)
        climb(from: position.index) { rank += count(nodes[Int($0)].left) + 1 }
        return Int(rank)
    }

    /// How many elements are marked up to that at a place, itself included. O(log n).
    package func marks(through position: Position) -> Int {
        func own(_ index: Int32) -> Int32 {
            marks(nodes[Int(index)].left) + (nodes[Int(index)].isMarked ? 1 : 0)
        }
        var result = own(position.index)
        climb(from: position.index) { result += own($0) }
        return Int(result)
    }

    /// Calls `body` with each node above one that is on its right side.
    private func climb(from start: Int32, _ body: (Int32) -> Void) {
        var index = start
        while true {
            let parent = nodes[Int(index)].parent
            guard parent != Self.none else { return }
            if nodes[Int(parent)].right == index { body(parent) }
            index = parent
        }
    }

    /// The position of a rank; nil beyond the end. O(log n).
    package func position(at rank: Int) -> Position? {
        descend(to: rank, in: { count($0) }, ofNode: { _ in 1 })
    }

    /// The position of the marked element that so many marked ones come before. O(log n).
    package func markedPosition(at number: Int) -> Position? {
        descend(to: number, in: { marks($0) }, ofNode: { nodes[Int($0)].isMarked ? 1 : 0 })
    }

    private func descend(
        to number: Int, in total: (Int32) -> Int32, ofNode own: (Int32) -> Int32
    ) -> Position? {
        guard number >= 0, number < Int(total(root)) else { return nil }
        var rest = Int32(number)
        var index = root
        while true {
            let before = total(nodes[Int(index)].left)
            if rest < before {
                index = nodes[Int(index)].left
                continue
            }
            rest -= before
            if rest < own(index) { return Position(index: index) }
            rest -= own(index)
            index = nodes[Int(index)].right
        }
    }

    /// The rank of the first element that meets a condition, which all elements after it meet too. O(log n) calls.
    package func rank(ofFirst isMet: (Element) -> Bool) -> Int {
        var rank: Int32 = 0
        var index = root
        while index != Self.none {
            let node = nodes[Int(index)]
            if node.element.map(isMet) ?? false {
                index = node.left
            } else {
                rank += count(node.left) + 1
                index = node.right
            }
        }
        return Int(rank)
    }

    /// The place after one. O(log n), O(1) on average.
    package func position(after position: Position) -> Position? { neighbour(of: position, \.right, \.left) }

    /// The place before one. O(log n), O(1) on average.
    package func position(before position: Position) -> Position? { neighbour(of: position, \.left, \.right) }

    private func neighbour(
        of position: Position, _ near: KeyPath<Node, Int32>, _ far: KeyPath<Node, Int32>
    ) -> Position? {
        var index = nodes[Int(position.index)][keyPath: near]
        if index != Self.none {
            while nodes[Int(index)][keyPath: far] != Self.none { index = nodes[Int(index)][keyPath: far] }
            return Position(index: index)
        }
        index = position.index
        while true {
            let parent = nodes[Int(index)].parent
            guard parent != Self.none else { return nil }
            if nodes[Int(parent)][keyPath: far] == index { return Position(index: parent) }
            index = parent
        }
    }

    /// The places of some ranks, in order. O(log n) and O(1) for each.
    package func positions(_ ranks: Range<Int>) -> [Position] {
        var positions: [Position] = []
        positions.reserveCapacity(ranks.count)
        var next = position(at: ranks.lowerBound)
        while positions.count < ranks.count, let position = next {
            positions.append(position)
            next = self.position(after: position)
        }
        return positions
    }

    // MARK: Changing

    /// Inserts an element at a rank. O(log n).
    ///
    /// - Precondition: `rank` is in `0...count`.
    package mutating func insert(_ element: Element, at rank: Int) -> Position {
        precondition((0...count).contains(rank))
        let new = makeNode(element)
        var rest = Int32(rank)
        var parent = Self.none
        var index = root
        while index != Self.none {
            parent = index
            let before = count(nodes[Int(index)].left)
            if rest <= before {
                index = nodes[Int(index)].left
                if index == Self.none { nodes[Int(parent)].left = new }
            } else {
                rest -= before + 1
                index = nodes[Int(index)].right
                if index == Self.none { nodes[Int(parent)].right = new }
            }
        }
        nodes[Int(new)].parent = parent
        if parent == Self.none { root = new }
        balance(from: parent)
        return Position(index: new)
    }

    private mutating func makeNode(_ element: Element) -> Int32 {
        let node = Node(
            element: element, left: Self.none, right: Self.none, parent: Self.none, count: 1, marks: 0,
            isMarked: false)
        guard let index = unused.popLast() else {
            nodes.append(node)
            return Int32(nodes.count - 1)
        }
        nodes[Int(index)] = node
        return index
    }

    /// Removes the element at a place, which becomes invalid. O(log n).
    package mutating func remove(_ position: Position) {
        let index = position.index
        let node = nodes[Int(index)]
        var start = node.parent
        if node.left == Self.none {
            replace(index, by: node.right)
        } else if node.right == Self.none {
            replace(index, by: node.left)
        } else {
            var successor = node.right
            while nodes[Int(successor)].left != Self.none { successor = nodes[Int(successor)].left }
            start = successor
            if successor != node.right {
                start = nodes[Int(successor)].parent
                replace(successor, by: nodes[Int(successor)].right)
                nodes[Int(successor)].right = node.right
                nodes[Int(node.right)].parent = successor
            }
            nodes[Int(successor)].left = node.left
            nodes[Int(node.left)].parent = successor
            replace(index, by: successor)
        }
        nodes[Int(index)].element = nil
        unused.append(index)
        balance(from: start)
    }

    /// Marks an element, or removes its mark. O(log n).
    package mutating func setMark(_ isMarked: Bool, at position: Position) {
        guard nodes[Int(position.index)].isMarked != isMarked else { return }
        nodes[Int(position.index)].isMarked = isMarked
        var index = position.index
        while index != Self.none {
            nodes[Int(index)].marks += isMarked ? 1 : -1
            index = nodes[Int(index)].parent
        }
    }

    /// Whether the element at a place is marked. O(1).
    package func isMarked(_ position: Position) -> Bool { nodes[Int(position.index)].isMarked }

    // MARK: Balance

    private func count(_ index: Int32) -> Int32 { index == Self.none ? 0 : nodes[Int(index)].count }
    private func marks(_ index: Int32) -> Int32 { index == Self.none ? 0 : nodes[Int(index)].marks }
    private func weight(_ index: Int32) -> Int { Int(count(index)) + 1 }

    private mutating func update(_ index: Int32) {
        let node = nodes[Int(index)]
        nodes[Int(index)].count = count(node.left) + count(node.right) + 1
        nodes[Int(index)].marks = marks(node.left) + marks(node.right) + (node.isMarked ? 1 : 0)
    }

    /// Replaces a subtree by another one.
    private mutating func replace(_ old: Int32, by new: Int32) {
        let parent = nodes[Int(old)].parent
        if new != Self.none { nodes[Int(new)].parent = parent }
        if parent == Self.none {
            root = new
        } else if nodes[Int(parent)].left == old {
            nodes[Int(parent)].left = new
        } else {
            nodes[Int(parent)].right = new
        }
    }

    /// Updates the counts and restores the balance from a node up.
    private mutating func balance(from start: Int32) {
        var index = start
        while index != Self.none {
            update(index)
            let left = nodes[Int(index)].left
            let right = nodes[Int(index)].right
            if weight(right) > 3 * weight(left) {
                if weight(nodes[Int(right)].left) >= 2 * weight(nodes[Int(right)].right) {
                    rotateRight(right)
                }
                index = rotateLeft(index)
            } else if weight(left) > 3 * weight(right) {
                if weight(nodes[Int(left)].right) >= 2 * weight(nodes[Int(left)].left) {
                    rotateLeft(left)
                }
                index = rotateRight(index)
            }
            index = nodes[Int(index)].parent
        }
    }

    /// Moves the right child above a node, and returns it.
    @discardableResult
    private mutating func rotateLeft(_ index: Int32) -> Int32 {
        let top = nodes[Int(index)].right
        let inner = nodes[Int(top)].left
        replace(index, by: top)
        nodes[Int(top)].left = index
        nodes[Int(index)].parent = top
        nodes[Int(index)].right = inner
        if inner != Self.none { nodes[Int(inner)].parent = index }
        update(index)
        update(top)
        return top
    }

    /// Moves the left child above a node, and returns it.
    @discardableResult
    private mutating func rotateRight(_ index: Int32) -> Int32 {
        let top = nodes[Int(index)].left
        let inner = nodes[Int(top)].right
        replace(index, by: top)
        nodes[Int(top)].right = index
        nodes[Int(index)].parent = top
        nodes[Int(index)].left = inner
        if inner != Self.none { nodes[Int(inner)].parent = index }
        update(index)
        update(top)
        return top
    }

    /// The depth of the tree; for tests of the balance. O(n).
    package var depth: Int {
        var depth = 0
        var level = root == Self.none ? [] : [root]
        while !level.isEmpty {
            depth += 1
            level = level.flatMap { [nodes[Int($0)].left, nodes[Int($0)].right] }.filter { $0 != Self.none }
        }
        return depth
    }
}
