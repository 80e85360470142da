internal import CCurl
internal import HTTPModel

/// A list of header lines in the form that libcurl takes and does not copy.
struct HeaderList: ~Copyable {
    /// The first line; `nil` for an empty list.
    private(set) var first: UnsafeMutablePointer<curl_slist>?
    /// False once there was no memory for a line.
    private(set) var isWhole = true

    /// Makes an empty list.
    init() {}

    deinit {
        curl_slist_free_all(first)
    }

    /// Adds a field. An empty value is written as `Name;`, because libcurl reads `Name:` as "leave it out".
    mutating func append(_ field: HeaderFields.Field) {
        append(line: field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
    }

    /// Tells libcurl not to send a field of its own.
    mutating func remove(_ name: String) {
        append(line: name + ":")
    }

    private mutating func append(line: String) {
        if let longer = curl_slist_append(first, line) { first = longer } else { isWhole = false }
    }
}
