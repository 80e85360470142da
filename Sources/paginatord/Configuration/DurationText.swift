/// A duration as it is written in a configuration: `"500ms"`, `"65s"`, `"15m"`, `"24h"`, or a number of seconds.
enum DurationText {
    private static let units = [("ms", 1.0), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    /// Reads a number with one of the units; without a unit it counts seconds. `nil` for anything else.
    static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let first = number.first, first != ".", number.last != ".", let value = Double(number) else { return nil }
        let unit = text[number.endIndex...]
        guard let scale = unit.isEmpty ? 1000 : units.first(where: { $0.0 == unit })?.1 else { return nil }
        return duration(milliseconds: value * scale)
    }

    /// A number of seconds; `nil` where it is negative or too large to count in milliseconds.
    static func seconds(_ value: Double) -> Duration? {
        duration(milliseconds: value * 1000)
    }

    /// The duration in the largest unit that leaves no fraction.
    static func format(_ duration: Duration) -> String {
        let parts = duration.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        for (unit, scale) in [("h", Int64(3_600_000)), ("m", 60_000), ("s", 1000)]
        where milliseconds >= scale && milliseconds % scale == 0 {
            return "\(milliseconds / scale)\(unit)"
        }
        return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
    }

    private static func duration(milliseconds: Double) -> Duration? {
        guard milliseconds >= 0, milliseconds < 1e15 else { return nil }
        return .milliseconds(Int64(milliseconds.rounded()))
    }
}
