/// A piece of a format string.
struct Token {
    let kind: Kind
    /// Where it begins, in bytes of the format string.
    let offset: Int

    enum Kind: Equatable {
        /// An identifier or a word of the language.
        case word(String)
        /// `#name`: an identifier that is not a word of the language.
        case key(String)
        /// `@name`
        case collectionOperator(String)
        /// `$name`
        case variable(String)
        case text(String)
        case number(Number)
        /// `%@`, `%d`, …
        case argument(Argument)
        case symbol(Symbol)
        case end
    }

    /// The numbers of the language.
    enum Number: Equatable {
        case integer(UInt64)
        case double(Double)
    }

    /// What an argument is taken as.
    enum Argument: Equatable {
        /// `%@`
        case object
        /// `%K`
        case keyPath
        /// `%d` and its like, with the letters as they were written
        case integer(String)
        /// `%f` and its like
        case double(String)
        /// `%s`
        case cString
    }

    enum Symbol: String {
        case leftParenthesis = "("
        case rightParenthesis = ")"
        case leftBrace = "{"
        case rightBrace = "}"
        case leftBracket = "["
        case rightBracket = "]"
        case comma = ","
        case dot = "."
        case colon = ":"
        case assign = ":="
        case plus = "+"
        case minus = "-"
        case times = "*"
        case power = "**"
        case divide = "/"
        case percent = "%%"
        case bitwiseAnd = "&"
        case bitwiseOr = "|"
        case bitwiseXor = "^"
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case and = "&&"
        case or = "||"
        case not = "!"
    }

    /// The token for a message to a person.
    var description: String {
        switch kind {
        case .word(let word): "\"\(word)\""
        case .key(let key): "\"#\(key)\""
        case .collectionOperator(let name): "\"@\(name)\""
        case .variable(let name): "\"$\(name)\""
        case .text: "a string"
        case .number: "a number"
        case .argument: "an argument"
        case .symbol(let symbol): "\"\(symbol.rawValue)\""
        case .end: "the end"
        }
    }
}
