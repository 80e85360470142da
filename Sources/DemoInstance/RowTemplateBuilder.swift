internal import SQLite

/// Puts the pieces of a `RowTemplate` together, field by field.
struct RowTemplateBuilder {
    private let shape: RecordShape
    private var scope: QueryScope
    private var columns: [SQLFragment] = []
    private var pieces: [RowPiece] = []
    private var literal: [UInt8] = [0x7B]
    private var isFirst = true

    /// SQLite reads at most 2000 columns; one field adds at most two.
    private static let maxColumns = 1900

    /// Starts an object without members.
    init(shape: RecordShape, scope: QueryScope) {
        self.shape = shape
        self.scope = scope
    }

    /// Adds a field under the name with which it was asked for; a name that leads nowhere adds nothing.
    mutating func add(_ path: String) {
        guard columns.count < Self.maxColumns, let field = scope.resolve(path) else { return }
        literal += "\(isFirst ? "" : ",")\"\(path)\":".utf8
        isFirst = false
        switch field.field.type {
        case .reference(let target):
            // A table that is not there can only be behind a reference that is always empty.
            let seed = scope.catalog.table(named: target)?.seed ?? 0
            addReference(field, path, target, .identifier(seed))
        case .foreignReference(let target): addReference(field, path, target, .text)
        default: addPlain(field)
        }
    }

    /// The SQL that reads one record, and the pieces.
    func finish() -> (select: SQLFragment, pieces: [RowPiece]) {
        let list = columns.isEmpty ? "NULL" : columns.map(\.text).joined(separator: ", ")
        let select = SQLFragment(
            text: "SELECT \(list) FROM \(scope.source()) WHERE t.id = ?", values: columns.flatMap(\.values))
        return (select, pieces + [.literal(literal + [0x7D])])
    }

    private mutating func addPlain(_ field: ScopedField) {
        let type = field.field.type
        switch shape.display {
        case .values: addString(field, type.valueForm)
        case .displayValues: addString(field, type.displayForm)
        case .both:
            literal += #"{"display_value":"#.utf8
            addString(field, type.displayForm)
            literal += #","value":"#.utf8
            addString(field, type.valueForm)
            literal.append(0x7D)
        }
    }

    private mutating func addReference(
        _ field: ScopedField, _ path: String, _ target: String, _ identifier: ValueForm
    ) {
        let display = shape.display == .values ? nil : scope.display(of: path)
        if shape.excludesReferenceLink, shape.display != .both {
            if let display { return addString(display, display.field.type.displayForm) }
            return addString(field, identifier)
        }
        let column = column(field.expression)
        var object = ReferenceObject(identifier: identifier, mode: shape.display)
        if !shape.excludesReferenceLink { object.link = Array("\(shape.linkBase)\(target)/".utf8) }
        if let display {
            object.display = (self.column(display.expression), display.field.type.displayForm)
        }
        add(.reference(column: column, object))
    }

    private mutating func addString(_ field: ScopedField, _ form: ValueForm) {
        if field.alias == "t", case .constant(let value) = field.field.content {
            literal.append(0x22)
            form.append(value, to: &literal)
            literal.append(0x22)
        } else {
            add(.value(column: column(field.expression), form))
        }
    }

    private mutating func add(_ piece: RowPiece) {
        pieces.append(.literal(literal))
        pieces.append(piece)
        literal = []
    }

    /// The place of an expression in the list of columns, where each stands once.
    private mutating func column(_ expression: SQLFragment) -> Int {
        if let known = columns.firstIndex(of: expression) { return known }
        columns.append(expression)
        return columns.count - 1
    }
}
