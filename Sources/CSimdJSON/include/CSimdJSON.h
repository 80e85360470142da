// What the Table API client needs of simdjson, in C: one call that judges a whole body and finds its rows.
//
// Every thread has one parser of its own, kept for its next body. What a call returns points into that parser or into
// the body, and is valid on the same thread until csimdjson_finish or the next csimdjson_read.

#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CSIMDJSON_NOEXCEPT noexcept
extern "C" {
#else
#define CSIMDJSON_NOEXCEPT
#endif

/// What a body is.
typedef enum __attribute__((enum_extensibility(closed))) csimdjson_verdict {
    /// One whole document whose `result` is a list of objects, without an `error`.
    CSIMDJSON_ROWS,
    /// Nothing, or nothing but white space.
    CSIMDJSON_EMPTY,
    /// Not one whole JSON document: cut, more than one, not UTF-8, or wrong in its syntax.
    CSIMDJSON_NOT_WHOLE,
    /// One whole document, but with a number beyond 64 bits or double range, more than 1,024 levels, or half a
    /// surrogate pair.
    CSIMDJSON_BEYOND_LIMITS,
    /// One whole document with an `error` member, with or without rows.
    CSIMDJSON_ERROR,
    /// One whole document with `result` more than once.
    CSIMDJSON_REPEATED_RESULT,
    /// One whole document without a `result`, or with one that is no list of objects.
    CSIMDJSON_NO_ROWS,
    /// There was no memory to read it.
    CSIMDJSON_NO_MEMORY
} csimdjson_verdict;

/// A piece of unescaped UTF-8; `bytes` is null where there is none.
typedef struct csimdjson_text {
    const char *bytes;
    size_t length;
} csimdjson_text;

/// A judged body.
typedef struct csimdjson_page {
    csimdjson_verdict verdict;
    /// With CSIMDJSON_ROWS: the number of rows.
    size_t count;
    /// With CSIMDJSON_ROWS: for each row the offset of its `{` and the offset behind its `}` in the body.
    const uint32_t *extents;
    /// With CSIMDJSON_ERROR: the error's message and detail, where they are strings.
    csimdjson_text message;
    csimdjson_text detail;
} csimdjson_page;

/// Judges a body of `length` bytes, every one of which is looked at. A byte order mark in front is allowed.
csimdjson_page csimdjson_read(const uint8_t *bytes, size_t length) CSIMDJSON_NOEXCEPT;

/// Writes the `sys_id` of each row of the page just read to `keys`, which has room for all of them. A `sys_id` that is
/// an object (sysparm_display_value=all) counts by its `value`.
void csimdjson_keys(csimdjson_text *keys) CSIMDJSON_NOEXCEPT;

/// Ends the use of what csimdjson_read returned; memory that an unusually large body needed is given back.
void csimdjson_finish(void) CSIMDJSON_NOEXCEPT;

/// The largest body, in bytes, that this thread's parser holds memory for.
size_t csimdjson_capacity(void) CSIMDJSON_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
