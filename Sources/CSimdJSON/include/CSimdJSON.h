// What the service needs of simdjson, in C: one call that judges a whole page and finds its rows, and one that hands a
// small document over value by value.
//
// Every thread has one parser of its own, kept for its next body. What a call returns points into that parser or into
// the body, and is valid on the same thread until csimdjson_finish or the next text is read.

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

/// What became of a document.
typedef enum __attribute__((enum_extensibility(closed))) csimdjson_outcome {
    /// All its values are in the list.
    CSIMDJSON_VALUES,
    /// It has more values than there is room for. The root is in the list, if there was any room.
    CSIMDJSON_TOO_MANY,
    /// Not one whole JSON document, or nested too deeply, or with a number beyond 64 bits or double range.
    CSIMDJSON_REFUSED,
    /// There was no memory to read it.
    CSIMDJSON_OUT_OF_MEMORY
} csimdjson_outcome;

/// What a value is.
typedef enum __attribute__((enum_extensibility(closed))) csimdjson_kind {
    CSIMDJSON_NULL,
    CSIMDJSON_TRUE,
    CSIMDJSON_FALSE,
    CSIMDJSON_INTEGER,
    CSIMDJSON_NUMBER,
    CSIMDJSON_STRING,
    CSIMDJSON_ARRAY,
    CSIMDJSON_OBJECT
} csimdjson_kind;

/// One value of a document.
typedef struct csimdjson_value {
    csimdjson_kind kind;
    /// With CSIMDJSON_STRING: its length in bytes. With CSIMDJSON_ARRAY and CSIMDJSON_OBJECT: how many elements or
    /// members follow, each with all that is in it; in front of each member's value stands its name, a string.
    size_t count;
    /// With CSIMDJSON_STRING: unescaped UTF-8.
    const char *text;
    /// With CSIMDJSON_INTEGER: a number written as an integer, in the range of the type.
    int64_t integer;
    /// With CSIMDJSON_NUMBER: any other number.
    double number;
} csimdjson_value;

/// A document's values.
typedef struct csimdjson_list {
    csimdjson_outcome outcome;
    /// How many were written.
    size_t count;
} csimdjson_list;

/// Judges a document of `length` bytes, every one of which is looked at, and writes its values to `values`, which has
/// room for `capacity` of them; names count as values. The root is the first. A byte order mark in front is allowed.
/// `levels` is the deepest nesting that is allowed, at most 1,024; it bounds the use of the stack.
csimdjson_list csimdjson_list_values(
    const uint8_t *bytes, size_t length, size_t levels, csimdjson_value *values, size_t capacity) CSIMDJSON_NOEXCEPT;

/// Reads a row, a JSON object of `length` bytes, and writes to `cells` what its members with those names hold: strings
/// unescaped, everything else as it stands in the row. Null and members that are not there have no bytes; of members with
/// the same name the first that is not null counts. `names` and `cells` have `count` places; no name is there twice.
csimdjson_outcome csimdjson_read_cells(
    const uint8_t *bytes, size_t length, const csimdjson_text *names, size_t count,
    csimdjson_text *cells) CSIMDJSON_NOEXCEPT;

/// Ends the use of what a call returned; memory that an unusually large body needed is given back.
void csimdjson_finish(void) CSIMDJSON_NOEXCEPT;

/// The largest body, in bytes, that this thread's parser holds memory for.
size_t csimdjson_capacity(void) CSIMDJSON_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
