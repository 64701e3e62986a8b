#include "runs.h"
#include "variant.h"

#include <stddef.h>

const char *kokoro_check_runs(const struct kokoro_convolution *c) {
    const int64_t groups = (c->in_channels + GROUP - 1) / GROUP;
    const int64_t panels = (c->out_channels + PANEL - 1) / PANEL;
    if (c->runs == NULL) return "runs are missing";
    for (int64_t i = 0; i < panels * c->run_taps; i++) {
        const uint8_t *run = c->runs + i * groups;
        int64_t covered = 0;
        for (int64_t n = 0; n < groups && covered < groups; n++) {
            const int length = run[n] & RUN_LENGTH;
            if (length == 0) break;
            covered += length;
        }
        if (covered != groups) return "runs must add up to the groups of channels";
    }
    return NULL;
}
