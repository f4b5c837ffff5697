extension String {
    /// The start of the text that has at most so many bytes of UTF-8, and whole characters of Unicode.
    ///
    /// What a person takes for one character may have millions of bytes, so that counting characters bounds nothing.
    func prefix(bytes longest: Int) -> String {
        guard utf8.count > longest else { return self }
        var end = utf8.index(startIndex, offsetBy: max(longest, 0))
        // Bytes that are cut in the middle of a character are left out.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
