/// A word of a text, as search compares it.
package struct SearchToken: Hashable, Sendable {
    /// The word without differences of case and of marks: "Schloß" has "schloss", "Über" has "uber".
    package let key: String
    /// Where the word is in the text, in bytes of UTF-8.
    package let range: Range<Int>

    package init(key: String, range: Range<Int>) {
        self.key = key
        self.range = range
    }
}
