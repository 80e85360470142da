/// A row in which whoever came first goes first, without moving the others up each time.
struct FirstInFirstOut<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// Whether nobody is in it.
    var isEmpty: Bool { head == elements.count }

    /// Who goes next.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds one at the end.
    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Takes the first one out.
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head == elements.count {
                elements.removeAll(keepingCapacity: head <= 1024)
                head = 0
            } else if head > 1024, head > elements.count / 2 {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
