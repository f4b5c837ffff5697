extension BookListQuery {
    private static let longestText = 200

    /// The query that an address asks for; what makes no sense is passed over.
    init(_ fields: Fields) {
        text = String(
            (fields["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(Self.longestText))
        method = fields["by"].flatMap(SearchMethod.init(rawValue:)) ?? .all
        author = fields["author"].flatMap { $0.isEmpty ? nil : $0 }
        switch fields["from"] {
        case "undated": position.start = .undated
        case let text?: position.start = PublishMonth(text: text).map(Position.Start.month)
        case nil: position.start = nil
        }
        position.skip = fields["skip"].flatMap(Int.init).map { min(max($0, 0), 10_000_000) } ?? 0
    }

    /// The address of a page of this list.
    func address(_ position: Position? = nil) -> PageAddress {
        address(path: "/", position ?? self.position)
    }

    /// The address of the events of this page.
    var eventsAddress: PageAddress { address(path: "/events", position).with("view", "books") }

    private func address(path: String, _ position: Position) -> PageAddress {
        let start: String? =
            switch position.start {
            case nil: nil
            case .undated: "undated"
            case .month(let month): month.text
            }
        return PageAddress(path)
            .with("q", text.isEmpty ? nil : text)
            .with("by", method == .all || text.isEmpty ? nil : method.rawValue)
            .with("author", author)
            .with("from", start)
            .with("skip", position.skip == 0 ? nil : "\(position.skip)")
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
