/// The functions of text that expressions have and that derived attributes are computed with.
package enum TextFunctions {
    /// The string without differences of case and of diacritical marks: the function `canonical:`.
    ///
    /// Two strings are equal under the options `[cd]` exactly when their canonical forms are the same; the rules
    /// are those of ``TextFolding``. `"Ünïçödé"` becomes `"unicode"`, and `"Straße"` becomes `"strasse"`.
    package static func canonical(_ text: String) -> String {
        TextFolding(ignoresCase: true, ignoresMarks: true).folded(text)
    }

    /// The string in upper case, by Unicode's full mapping and no locale's: the function `uppercase:`.
    package static func uppercase(_ text: String) -> String { text.uppercased() }

    /// The string in lower case, by Unicode's full mapping and no locale's: the function `lowercase:`.
    package static func lowercase(_ text: String) -> String { text.lowercased() }
}
