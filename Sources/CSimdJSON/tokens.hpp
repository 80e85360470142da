// The tokens of a text, as simdjson's first stage leaves them behind: the offsets of all brackets, colons, commas, and
// beginnings of strings and other scalars.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace csimdjson {

inline bool opens(uint8_t byte) { return (byte | 0x20) == '{'; }
inline bool closes(uint8_t byte) { return (byte | 0x20) == '}'; }
inline bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

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

}  // namespace csimdjson
