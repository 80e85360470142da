import Clocks

/// How log lines look.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object per line.
    case json
    /// `time level event name=value …`
    case text
}

/// Builds one line of the log, field by field, straight into bytes.
///
/// Whatever a value holds, a line stays one line, and nothing in it can steer a terminal or turn the direction of
/// text: control and format characters (Unicode categories Cc, Cf, Zl and Zp; bidirectional marks are among them) are
/// written as `\u` escapes.
struct LogLine {
    /// The longest value, in bytes before escaping; what is longer is cut and ends in `…`.
    static let maxValueBytes = 512

    /// What has been written.
    private(set) var bytes: [UInt8] = []
    private let format: LogFormat

    /// Begins a line.
    init(time: Timestamp, level: Level, event: String, format: LogFormat) {
        self.format = format
        bytes.reserveCapacity(384)
        switch format {
        case .json:
            bytes += #"{"time":""#.utf8
            time.write(to: &bytes)
            bytes.append(0x22)
            field("level", level.rawValue)
            field("event", event)
        case .text:
            time.write(to: &bytes)
            bytes.append(0x20)
            let name = level.rawValue.utf8
            bytes += name
            bytes.append(contentsOf: repeatElement(0x20, count: 8 - name.count))
            bytes += event.utf8
        }
    }

    /// Writes a text.
    mutating func field(_ name: String, _ value: String) {
        begin(name)
        let isBare = format == .text && value.utf8.allSatisfy(isPlain) && !value.isEmpty
        if isBare && value.utf8.count <= Self.maxValueBytes {
            bytes += value.utf8
        } else {
            quoted(value)
        }
    }

    /// Writes a text, or nothing where there is none.
    mutating func field(_ name: String, _ value: String?) {
        if let value { field(name, value) }
    }

    /// Writes a number.
    mutating func field(_ name: String, _ value: Int) {
        begin(name)
        bytes += String(value).utf8
    }

    /// Writes a time in milliseconds with three decimals, or nothing where there is none.
    mutating func field(_ name: String, milliseconds value: Duration?) {
        guard let value else { return }
        begin(name)
        let parts = value.components
        let microseconds = max(0, parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
        bytes += String(microseconds / 1000).utf8
        let rest = Int(microseconds % 1000)
        bytes += [0x2E, digit(rest / 100), digit(rest / 10 % 10), digit(rest % 10)]
    }

    /// Ends the line.
    mutating func end() {
        if format == .json { bytes.append(0x7D) }
        bytes.append(0x0A)
    }

    private mutating func begin(_ name: String) {
        switch format {
        case .json:
            bytes += [0x2C, 0x22]
            bytes += name.utf8
            bytes += [0x22, 0x3A]
        case .text:
            bytes.append(0x20)
            bytes += name.utf8
            bytes.append(0x3D)
        }
    }

    private mutating func quoted(_ value: String) {
        bytes.append(0x22)
        var length = 0
        for scalar in value.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= Self.maxValueBytes else {
                bytes += "…".utf8
                break
            }
            append(scalar)
        }
        bytes.append(0x22)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\": bytes += [0x5C, UInt8(scalar.value)]
        case "\n": bytes += [0x5C, 0x6E]
        case "\r": bytes += [0x5C, 0x72]
        case "\t": bytes += [0x5C, 0x74]
        case " "..."~": bytes.append(UInt8(scalar.value))
        default:
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                for unit in scalar.utf16 { append(escaped: unit) }
            default: bytes += scalar.utf8
            }
        }
    }

    private mutating func append(escaped unit: UInt16) {
        bytes += [0x5C, 0x75]
        for shift in [12, 8, 4, 0] {
            let value = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 15
            bytes.append(value < 10 ? 0x30 + value : 0x57 + value)
        }
    }
}

/// Whether a byte may stand in a text value that has no quotation marks around it.
private func isPlain(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3D && byte != 0x5C
}

private func digit(_ value: Int) -> UInt8 {
    0x30 + UInt8(truncatingIfNeeded: value)
}
