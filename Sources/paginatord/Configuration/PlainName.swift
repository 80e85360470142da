/// What a name of an instance or a token has to be.
let plainNameRule = "expected a name of 1 to 64 letters, digits, -, _ and ., no mark in front"

/// Whether it is such a name, which can stand in a log, a path and a message as it is.
func isPlainName(_ name: String) -> Bool {
    guard 1...64 ~= name.utf8.count, let first = name.utf8.first, first != 0x2D, first != 0x2E, first != 0x5F else {
        return false
    }
    return name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
