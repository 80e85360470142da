// Of hiredis only the connection without a loop is used, never its asynchronous one: version 0.14 ends the process, by an
// assertion, where a server sends a reply that nobody asked for.
#include <hiredis/hiredis.h>

// Swift sees a fixed array as a tuple.
static inline const char *chiredis_error(const redisContext *context) { return context->errstr; }
