/// The looks of a book, drawn as shapes: the page's policy allows no inline styles.
struct Spine {
    /// For books without a colour.
    static let plain = "#8a8578"

    let fill: String
    /// The left edge, the width and the height of the spine on the shelf.
    let x: Int
    let width: Int
    let height: Int
    let y: Int
    let bandY: Int
    let bandHeight: Int
    let bandWidth: Int
    let bandX: Int
}

/// The spines of a page's books, side by side.
struct Shelf {
    static let height = 104
    let spines: [Spine]
    let width: Int

    init(_ books: [BookSnapshot]) {
        var x = 0
        spines = books.map { book in
            var hash: UInt32 = 2_166_136_261
            for byte in book.title.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
            let width = 9 + Int((hash >> 3) % 9)
            let height = 64 + Int((hash >> 8) % 37)
            let y = Self.height - height
            let spine = Spine(
                fill: book.tint ?? Spine.plain, x: x, width: width, height: height, y: y,
                bandY: y + 8 + Int((hash >> 16) % 12), bandHeight: 2 + Int((hash >> 21) % 4),
                bandWidth: width - 4, bandX: x + 2)
            x += width + ((hash >> 25) % 11 == 0 ? 6 : 1)
            return spine
        }
        width = max(x, 1)
    }
}
