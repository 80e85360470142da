// Hands a small document over as a flat list of its values.

#include "reader.hpp"

namespace {

namespace dom = simdjson::dom;

/// Writes values one behind the other, each container in front of what is in it.
struct list {
    csimdjson_value *values;
    size_t capacity;
    size_t count;

    /// Room for one value; null where there is none left.
    csimdjson_value *next(csimdjson_kind kind) {
        if (count == capacity) return nullptr;
        csimdjson_value *value = &values[count++];
        *value = {};
        value->kind = kind;
        return value;
    }

    csimdjson_outcome add_string(std::string_view text) {
        csimdjson_value *value = next(CSIMDJSON_STRING);
        if (!value) return CSIMDJSON_TOO_MANY;
        value->text = text.data();
        value->count = text.size();
        return CSIMDJSON_VALUES;
    }

    /// Begins a container that has `size` elements or members; simdjson says so without looking at them.
    csimdjson_outcome open(csimdjson_kind kind, size_t size, size_t levels) {
        csimdjson_value *value = next(kind);
        if (!value) return CSIMDJSON_TOO_MANY;
        value->count = size;
        if (levels == 0) return CSIMDJSON_REFUSED;
        return size > capacity - count ? CSIMDJSON_TOO_MANY : CSIMDJSON_VALUES;
    }

    /// Adds a value and all that is in it, unless that nests more than `levels` deep.
    csimdjson_outcome add(dom::element element, size_t levels) {
        csimdjson_value *value = nullptr;
        switch (element.type()) {
            case dom::element_type::ARRAY: {
                const dom::array elements = element.get_array().value_unsafe();
                csimdjson_outcome verdict = open(CSIMDJSON_ARRAY, elements.size(), levels);
                for (dom::element inner : elements) {
                    if (verdict != CSIMDJSON_VALUES) break;
                    verdict = add(inner, levels - 1);
                }
                return verdict;
            }
            case dom::element_type::OBJECT: {
                const dom::object members = element.get_object().value_unsafe();
                csimdjson_outcome verdict = open(CSIMDJSON_OBJECT, members.size(), levels);
                for (dom::key_value_pair member : members) {
                    if (verdict == CSIMDJSON_VALUES) verdict = add_string(member.key);
                    if (verdict == CSIMDJSON_VALUES) verdict = add(member.value, levels - 1);
                    if (verdict != CSIMDJSON_VALUES) break;
                }
                return verdict;
            }
            case dom::element_type::STRING: return add_string(element.get_string().value_unsafe());
            case dom::element_type::INT64:
                value = next(CSIMDJSON_INTEGER);
                if (value) value->integer = element.get_int64().value_unsafe();
                break;
            case dom::element_type::UINT64:
                value = next(CSIMDJSON_NUMBER);
                if (value) value->number = double(element.get_uint64().value_unsafe());
                break;
            case dom::element_type::DOUBLE:
                value = next(CSIMDJSON_NUMBER);
                if (value) value->number = element.get_double().value_unsafe();
                break;
            case dom::element_type::BOOL:
                value = next(element.get_bool().value_unsafe() ? CSIMDJSON_TRUE : CSIMDJSON_FALSE);
                break;
            case dom::element_type::NULL_VALUE: value = next(CSIMDJSON_NULL); break;
        }
        return value ? CSIMDJSON_VALUES : CSIMDJSON_TOO_MANY;
    }
};

}  // namespace

csimdjson_list csimdjson_list_values(
    const uint8_t *bytes, size_t length, size_t levels, csimdjson_value *values, size_t capacity) noexcept {
    csimdjson::reader *reader = csimdjson::reader_of_this_thread();
    if (!reader) return {CSIMDJSON_OUT_OF_MEMORY, 0};
    const size_t lead = csimdjson::mark_length(bytes, length);
    bytes += lead;
    length -= lead;
    if (length == 0) return {CSIMDJSON_REFUSED, 0};
    dom::element root;
    const simdjson::error_code error = reader->parser.parse(bytes, length, true).get(root);
    if (error == simdjson::CAPACITY || error == simdjson::MEMALLOC) return {CSIMDJSON_OUT_OF_MEMORY, 0};
    if (error != simdjson::SUCCESS) return {CSIMDJSON_REFUSED, 0};
    list list = {values, capacity, 0};
    const csimdjson_outcome verdict = list.add(root, levels);
    return {verdict, list.count};
}
