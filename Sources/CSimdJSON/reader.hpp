// simdjson's parser as each thread keeps it for its next text.

#pragma once

#include "CSimdJSON.h"

#include <simdjson.h>

#include <cstddef>
#include <cstring>

namespace csimdjson {

/// The nesting that the parser allows.
constexpr size_t deepest = 1024;

/// How many bytes a byte order mark in front of a text takes.
inline uint32_t mark_length(const uint8_t *bytes, size_t length) noexcept {
    return length >= 3 && std::memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/// One thread's parser and the rows it last found.
struct reader {
    simdjson::dom::parser parser;
    simdjson::dom::array rows;
};

/// The thread's reader, made where there is none; null where there is no memory for it.
reader *reader_of_this_thread() noexcept;

}  // namespace csimdjson
