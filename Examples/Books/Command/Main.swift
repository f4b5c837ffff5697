import BooksApp

@main
enum Main {
    static func main() async { await BooksCommand.main() }
}
