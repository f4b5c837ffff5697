import BooksApp
