// simdjson's DOM parser validates every byte of a body (its On-Demand parser would not). The rows' places come from the
// list of tokens that its first stage leaves behind: the offsets of all brackets, colons, commas, and beginnings of
// strings and other scalars. The tokens say where things stand, the DOM what the keys are once unescaped.

#include "reader.hpp"

#include <cstring>
#include <utility>

namespace {

namespace dom = simdjson::dom;

using csimdjson::deepest;
using csimdjson::reader;

bool opens(uint8_t byte) { return (byte | 0x20) == '{'; }
bool closes(uint8_t byte) { return (byte | 0x20) == '}'; }
bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/// A text and the tokens in it.
struct tokens {
    const uint8_t *text;
    size_t length;
    uint32_t *offsets;
    uint32_t count;

    uint8_t operator[](uint32_t index) const { return text[offsets[index]]; }

    /// Moves `index` behind the value that begins there; false if that nests more than `levels` deep. The document
    /// must be known to be whole.
    bool skip(uint32_t &index, size_t levels) const {
        size_t depth = 0;
        do {
            const uint8_t byte = (*this)[index++];
            if (opens(byte)) {
                if (++depth > levels) return false;
            } else if (closes(byte)) {
                --depth;
            }
        } while (depth > 0);
        return true;
    }

    uint8_t byte_at(size_t offset) const { return offset < length ? text[offset] : 0; }

    /// Whether a scalar may end here.
    bool is_end_of_scalar(size_t offset) const {
        return offset == length || (text[offset] != 0 && std::strchr(" \t\r\n,:]}", text[offset]));
    }

    bool is_number(size_t at) const {
        if (byte_at(at) == '-') ++at;
        if (!is_digit(byte_at(at))) return false;
        if (byte_at(at++) != '0') while (is_digit(byte_at(at))) ++at;
        if (byte_at(at) == '.') {
            if (!is_digit(byte_at(++at))) return false;
            while (is_digit(byte_at(at))) ++at;
        }
        if ((byte_at(at) | 0x20) == 'e') {
            ++at;
            if (byte_at(at) == '+' || byte_at(at) == '-') ++at;
            if (!is_digit(byte_at(at))) return false;
            while (is_digit(byte_at(at))) ++at;
        }
        return is_end_of_scalar(at);
    }

    bool is_string(size_t at) const {
        if (byte_at(at) != '"') return false;
        while (byte_at(++at) != '"') {
            if (at >= length) return false;
            if (text[at] != '\\') continue;
            const uint8_t escaped = byte_at(++at);
            if (escaped == 0 || !std::strchr("\"\\/bfnrtu", escaped)) return false;
            for (int digit = 0; escaped == 'u' && digit < 4; ++digit) {
                const uint8_t byte = byte_at(++at);
                if (!is_digit(byte) && ((byte | 0x20) < 'a' || (byte | 0x20) > 'f')) return false;
            }
        }
        return true;
    }

    bool is_scalar(size_t at) const {
        for (const char *name : {"true", "false", "null"}) {
            const size_t size = std::strlen(name);
            if (length - at >= size && std::memcmp(text + at, name, size) == 0) return is_end_of_scalar(at + size);
        }
        return byte_at(at) == '"' ? is_string(at) : is_number(at);
    }

    /// Whether this is one whole document by the grammar alone, whatever its numbers, its nesting and its surrogates.
    /// Only for what simdjson refused after its first stage, which has checked UTF-8, quotes and control characters.
    /// The open brackets are kept where tokens already read stood.
    bool is_whole() const {
        enum { value, first_value, key, first_key, colon, after_value, end } expected = value;
        uint32_t depth = 0;
        for (uint32_t index = 0; index < count; ++index) {
            const size_t at = offsets[index];
            const uint8_t byte = text[at];
            const uint32_t open = depth > 0 ? offsets[depth - 1] : 0;
            const bool ends_object = byte == '}' && open == '{' && (expected == first_key || expected == after_value);
            const bool ends_array = byte == ']' && open == '[' && (expected == first_value || expected == after_value);
            if (ends_object || ends_array) {
                expected = --depth > 0 ? after_value : end;
                continue;
            }
            switch (expected) {
                case after_value:
                    if (byte != ',') return false;
                    expected = open == '{' ? key : value;
                    break;
                case colon:
                    if (byte != ':') return false;
                    expected = value;
                    break;
                case key:
                case first_key:
                    if (!is_string(at)) return false;
                    expected = colon;
                    break;
                case value:
                case first_value:
                    if (opens(byte)) {
                        offsets[depth++] = byte;
                        expected = byte == '{' ? first_key : first_value;
                    } else {
                        if (!is_scalar(at)) return false;
                        expected = depth > 0 ? after_value : end;
                    }
                    break;
                case end: return false;
            }
        }
        return expected == end;
    }
};

csimdjson_text string_of(simdjson::simdjson_result<dom::element> member) {
    std::string_view text;
    if (member.get(text)) return {nullptr, 0};
    return {text.data(), text.size()};
}

csimdjson_page only(csimdjson_verdict verdict) {
    csimdjson_page page = {};
    page.verdict = verdict;
    return page;
}

csimdjson_page error_page(dom::element error) {
    csimdjson_page page = only(CSIMDJSON_ERROR);
    dom::object members;
    if (!error.get(members)) {
        page.message = string_of(members["message"]);
        page.detail = string_of(members["detail"]);
    } else {
        page.message = string_of(simdjson::simdjson_result<dom::element>(std::move(error)));
    }
    return page;
}

/// Walks the members of a whole document's root. `lead` is added to all offsets.
csimdjson_page walk(dom::element root, const tokens &tokens, uint32_t lead, dom::array &rows) {
    dom::object members;
    if (root.get(members)) return only(CSIMDJSON_NO_ROWS);
    bool has_error = false, is_list_of_objects = true, is_too_deep = false;
    size_t results = 0;
    csimdjson_page page = only(CSIMDJSON_ROWS), failure = {};
    // The places of the rows are kept where tokens already read stood: each row has at least its two brackets.
    uint32_t *extents = tokens.offsets;
    uint32_t index = 1;
    for (dom::key_value_pair member : members) {
        index += 2;
        if (member.key == "error") {
            has_error = true;
            failure = error_page(member.value);
        }
        if (member.key != "result") {
            if (!tokens.skip(index, deepest - 1)) is_too_deep = true;
        } else if (++results > 1 || member.value.get(rows)) {
            is_list_of_objects = is_list_of_objects && results > 1;
            if (!tokens.skip(index, deepest - 1)) is_too_deep = true;
        } else {
            ++index;
            while (tokens[index] != ']') {
                if (tokens[index] == ',') ++index;
                if (tokens[index] != '{') is_list_of_objects = false;
                const uint32_t start = tokens.offsets[index];
                if (!tokens.skip(index, deepest - 2)) {
                    is_too_deep = true;
                    break;
                }
                extents[2 * page.count] = start + lead;
                extents[2 * page.count + 1] = tokens.offsets[index - 1] + 1 + lead;
                ++page.count;
            }
            ++index;
        }
        if (is_too_deep) return only(CSIMDJSON_BEYOND_LIMITS);
        ++index;
    }
    if (has_error) return failure;
    if (results > 1) return only(CSIMDJSON_REPEATED_RESULT);
    if (results == 0 || !is_list_of_objects) return only(CSIMDJSON_NO_ROWS);
    page.extents = extents;
    return page;
}

}  // namespace

csimdjson_page csimdjson_read(const uint8_t *bytes, size_t length) noexcept {
    reader *reader = csimdjson::reader_of_this_thread();
    if (!reader) return only(CSIMDJSON_NO_MEMORY);
    const bool is_marked = length >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0;
    const uint32_t lead = is_marked ? 3 : 0;
    bytes += lead;
    length -= lead;
    if (length == 0) return only(CSIMDJSON_EMPTY);
    // The parser copies the body into memory with the padding that it needs, so nothing behind the body is read.
    dom::element root;
    const simdjson::error_code error = reader->parser.parse(bytes, length, true).get(root);
    const auto &stage = reader->parser.implementation;
    const tokens tokens = {bytes, length, stage->structural_indexes.get(), stage->n_structural_indexes};
    switch (error) {
        case simdjson::SUCCESS: return walk(root, tokens, lead, reader->rows);
        case simdjson::EMPTY: return only(CSIMDJSON_EMPTY);
        case simdjson::CAPACITY:
        case simdjson::MEMALLOC: return only(CSIMDJSON_NO_MEMORY);
        case simdjson::NUMBER_ERROR:
        case simdjson::DEPTH_ERROR:
        case simdjson::STRING_ERROR: return only(tokens.is_whole() ? CSIMDJSON_BEYOND_LIMITS : CSIMDJSON_NOT_WHOLE);
        default: return only(CSIMDJSON_NOT_WHOLE);
    }
}

void csimdjson_keys(csimdjson_text *keys) noexcept {
    for (dom::element row : csimdjson::reader_of_this_thread()->rows) {
        const simdjson::simdjson_result<dom::element> key = row["sys_id"];
        csimdjson_text text = string_of(key);
        if (!text.bytes) text = string_of(key["value"]);
        *keys++ = text;
    }
}
