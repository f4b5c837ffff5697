extension BookListQuery {
    private static let longestText = 200

    /// The query that an address asks for; what makes no sense is passed over.
    init(_ fields: Fields) {
        text = String(
            (fields["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(Self.longestText))
        method = fields["by"].flatMap(SearchMethod.init(rawValue:)) ?? .both
        author = fields["author"].flatMap { $0.isEmpty ? nil : $0 }
        switch fields["from"] {
        case "undated": place.start = .undated
        case let text?: place.start = PublishMonth(text: text).map(Place.Start.month)
        case nil: place.start = nil
        }
        place.skip = fields["skip"].flatMap(Int.init).map { min(max($0, 0), 10_000_000) } ?? 0
    }

    /// The address of a page of this list.
    func address(_ place: Place? = nil) -> PageAddress {
        address(path: "/", place ?? self.place)
    }

    /// The address of the events of this page.
    var eventsAddress: PageAddress { address(path: "/events", place).with("view", "books") }

    private func address(path: String, _ place: Place) -> PageAddress {
        let start: String? =
            switch place.start {
            case nil: nil
            case .undated: "undated"
            case .month(let month): month.text
            }
        return PageAddress(path)
            .with("q", text.isEmpty ? nil : text)
            .with("by", method == .both || text.isEmpty ? nil : method.rawValue)
            .with("author", author)
            .with("from", start)
            .with("skip", place.skip == 0 ? nil : "\(place.skip)")
    }
}

extension AuthorListQuery {
    init(_ fields: Fields) {
        order = fields["order"].flatMap(Order.init(rawValue:)) ?? .name
        skip = fields["skip"].flatMap(Int.init).map { min(max($0, 0), 10_000_000) } ?? 0
    }

    func address(path: String = "/authors") -> PageAddress {
        PageAddress(path)
            .with("order", order == .name ? nil : order.rawValue)
            .with("skip", skip == 0 ? nil : "\(skip)")
    }
}
