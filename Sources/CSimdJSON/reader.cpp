#include "reader.hpp"

#include <new>

namespace {

using csimdjson::reader;

/// A parser that has grown beyond this many bytes is not kept: it holds about fourteen times as much.
constexpr size_t kept_capacity = size_t(1) << 20;
/// What a new parser is made for.
constexpr size_t first_capacity = size_t(64) << 10;

thread_local reader *current = nullptr;

/// Frees the thread's reader when the thread ends.
struct cleaner {
    ~cleaner() {
        delete current;
        current = nullptr;
    }
};

}  // namespace

reader *csimdjson::reader_of_this_thread() noexcept {
    static thread_local cleaner at_end_of_thread;
    (void)at_end_of_thread;
    if (current) return current;
    reader *fresh = new (std::nothrow) reader;
    // simdjson does not count an empty container as a level, so it gets one level more and the walk counts exactly.
    if (fresh && fresh->parser.allocate(first_capacity, deepest + 1) != simdjson::SUCCESS) {
        delete fresh;
        return nullptr;
    }
    return current = fresh;
}

void csimdjson_finish(void) noexcept {
    if (!current || current->parser.capacity() <= kept_capacity) return;
    delete current;
    current = nullptr;
}

size_t csimdjson_capacity(void) noexcept {
    return current ? current->parser.capacity() : 0;
}
