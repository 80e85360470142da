/// A size as it is written in a configuration: `"32KiB"`, `"1MiB"`, `"2GiB"`, or a number of bytes.
enum SizeText {
    private static let units = [("B", 0), ("KiB", 10), ("MiB", 20), ("GiB", 30)]

    /// Reads a whole number with one of the units; without a unit it counts bytes. `nil` for anything else.
    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, let number = Int(digits) else { return nil }
        let unit = text[digits.endIndex...]
        guard let shift = unit.isEmpty ? 0 : units.first(where: { $0.0 == unit })?.1 else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: 1 << shift)
        return isTooLarge ? nil : bytes
    }

    /// The size in the largest unit that leaves no rest.
    static func format(_ bytes: Int) -> String {
        for (unit, shift) in units.reversed() where bytes >= 1 << shift && bytes % (1 << shift) == 0 && shift > 0 {
            return "\(bytes >> shift)\(unit)"
        }
        return "\(bytes) bytes"
    }
}
