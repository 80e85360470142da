/// A quality value in thousandths (RFC 9110 §12.4.2); 0 where it is none.
func qualityValue(_ text: some StringProtocol) -> Int {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || whole == "1", parts.count <= 2 else { return 0 }
    let fraction = parts.count == 2 ? String(parts[1].prefix(3)) : ""
    guard fraction.isEmpty || fraction.isDecimal else { return 0 }
    let digits = fraction + String(repeating: "0", count: 3 - fraction.count)
    return min(1000, (whole == "1" ? 1000 : 0) + (Int(digits) ?? 0))
}
