import HTTPModel

extension HeaderFields {
    /// The seconds to wait by `Retry-After` (RFC 9110 §10.2.3): a number, or a date, which is read relative to the
    /// answer's own `Date` where there is one, so that a wrong clock on either side does no harm.
    ///
    /// - Parameter now: the present, in seconds since 1970.
    func retryAfter(now: () -> Int) -> Int? {
        guard let value = self["Retry-After"]?[...].trimmingSpaces, !value.isEmpty else { return nil }
        if let seconds = decimalNumber(value) { return seconds }
        let present = now()
        guard let date = HTTPDate.seconds(String(value), now: present) else { return nil }
        return max(0, date - (self["Date"].flatMap { HTTPDate.seconds($0, now: present) } ?? present))
    }
}
