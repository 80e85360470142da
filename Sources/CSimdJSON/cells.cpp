// Cuts the values of some members out of a row. What a string says comes from the DOM, how anything else is written from
// the tokens.

#include "reader.hpp"
#include "tokens.hpp"

namespace {

namespace dom = simdjson::dom;

/// The column of that name, which mostly is the one behind the last; `count` where there is none.
size_t column_of(std::string_view name, const csimdjson_text *names, size_t count, size_t expected) {
    for (size_t tried = 0; tried < count; ++tried, ++expected) {
        if (expected >= count) expected = 0;
        if (name == std::string_view(names[expected].bytes, names[expected].length)) return expected;
    }
    return count;
}

}  // namespace

csimdjson_outcome csimdjson_read_cells(
    const uint8_t *bytes, size_t length, const csimdjson_text *names, size_t count, csimdjson_text *cells) noexcept {
    csimdjson::reader *reader = csimdjson::reader_of_this_thread();
    if (!reader) return CSIMDJSON_OUT_OF_MEMORY;
    for (size_t column = 0; column < count; ++column) cells[column] = {nullptr, 0};
    dom::element root;
    const simdjson::error_code error = reader->parser.parse(bytes, length, true).get(root);
    if (error == simdjson::CAPACITY || error == simdjson::MEMALLOC) return CSIMDJSON_OUT_OF_MEMORY;
    dom::object members;
    if (error != simdjson::SUCCESS || root.get(members)) return CSIMDJSON_REFUSED;
    const auto &stage = reader->parser.implementation;
    const csimdjson::tokens tokens = {bytes, length, stage->structural_indexes.get(), stage->n_structural_indexes};
    // The row's bracket is the first token; each member has its name, a colon, its value, and a comma or the last bracket.
    uint32_t index = 1;
    size_t expected = 0;
    for (dom::key_value_pair member : members) {
        index += 2;
        const size_t start = tokens.offsets[index];
        if (!tokens.skip(index, csimdjson::deepest)) return CSIMDJSON_REFUSED;
        const size_t column = column_of(member.key, names, count, expected);
        if (column < count && !cells[column].bytes) {
            std::string_view text;
            if (!member.value.get(text)) {
                cells[column] = {text.data(), text.size()};
            } else if (!member.value.is_null()) {
                size_t end = tokens.offsets[index - 1] + 1;
                if (!csimdjson::opens(bytes[start])) {
                    end = start + 1;
                    while (!tokens.is_end_of_scalar(end)) ++end;
                }
                cells[column] = {reinterpret_cast<const char *>(bytes) + start, end - start};
            }
        }
        if (column < count) expected = column + 1;
        ++index;
    }
    return CSIMDJSON_VALUES;
}
