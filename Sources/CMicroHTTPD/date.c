#include "shim.h"

#include <stdio.h>
#include <time.h>

const char *cmhd_date(void) {
    static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[12][4] = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static _Thread_local char text[64];
    static _Thread_local time_t second;
    time_t now = time(NULL);
    struct tm parts;
    if ((now != second || text[0] == 0) && gmtime_r(&now, &parts)) {
        second = now;
        snprintf(
            text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[parts.tm_wday], parts.tm_mday,
            months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
    }
    return text;
}
