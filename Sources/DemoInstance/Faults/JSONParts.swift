/// Finds the parts of a JSON text without decoding them. The text is taken to be well-formed; where it ends early the
/// answer is `nil`.
struct JSONParts {
    /// The text.
    let bytes: [UInt8]

    /// The extents of the elements of the array that starts there.
    func elements(ofArrayAt start: Int) -> [Range<Int>]? {
        values(from: start, open: 0x5B, close: 0x5D)
    }

    /// The extent of the value of a member of the object that starts there; `nil` where it has none of that name.
    func member(_ name: String, ofObjectAt start: Int) -> Range<Int>? {
        guard let values = values(from: start, open: 0x7B, close: 0x7D) else { return nil }
        let quoted = Array("\"\(name)\"".utf8)
        let index = stride(from: 0, to: values.count - 1, by: 2).first { bytes[values[$0]].elementsEqual(quoted) }
        return index.map { values[$0 + 1] }
    }

    /// Every value between two brackets. In an object names are values too: each stands before its own.
    private func values(from start: Int, open: UInt8, close: UInt8) -> [Range<Int>]? {
        guard start < bytes.count, bytes[start] == open else { return nil }
        var values: [Range<Int>] = []
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case close: return values
            case 0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x3A: index += 1
            default:
                guard let end = end(ofValueAt: index) else { return nil }
                values.append(index..<end)
                index = end
            }
        }
        return nil
    }

    private func end(ofValueAt start: Int) -> Int? {
        switch bytes[start] {
        case 0x22: return end(ofStringAt: start)
        case 0x7B, 0x5B:
            var depth = 0
            var index = start
            while index < bytes.count {
                switch bytes[index] {
                case 0x22:
                    guard let end = end(ofStringAt: index) else { return nil }
                    index = end
                    continue
                case 0x7B, 0x5B: depth += 1
                case 0x7D, 0x5D: depth -= 1
                default: break
                }
                index += 1
                if depth == 0 { return index }
            }
            return nil
        default:
            let end = bytes[start...].firstIndex { [0x2C, 0x3A, 0x7D, 0x5D, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
            return end == start ? nil : end
        }
    }

    private func end(ofStringAt start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            switch bytes[index] {
            case 0x22: return index + 1
            case 0x5C: index += 2
            default: index += 1
            }
        }
        return nil
    }
}
