// simdjson's DOM parser validates every byte of a body (its On-Demand parser would not). The rows' places come from the
// list of tokens that its first stage leaves behind: the offsets of all brackets, colons, commas, and beginnings of
// strings and other scalars. The tokens say where things stand, the DOM what the keys are once unescaped.

#include "reader.hpp"
#include "tokens.hpp"

#include <utility>

namespace {

namespace dom = simdjson::dom;

using csimdjson::deepest;
using csimdjson::reader;
using csimdjson::tokens;

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
    const uint32_t lead = csimdjson::mark_length(bytes, length);
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
