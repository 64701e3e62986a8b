#include "runs.h"
#include "variants.h"

#include <stddef.h>

/* Without a branch for each of them: this is seen to in every run, by one thread. */
static int adds_up(const uint8_t *run, int64_t groups) {
    int32_t covered = 0;
    uint8_t resumed = 0;
    for (int64_t n = 0; n < groups; n++) covered += run[n] & RUN_LENGTH;
    for (int64_t n = 1; n < groups; n++) resumed |= (run[n - 1] == 0) & (run[n] != 0);
    return covered == groups && !resumed;
}

const char *kokoro_check_runs(const struct kokoro_convolution *c) {
    const int64_t groups = (c->in_channels + GROUP - 1) / GROUP;
    const int64_t panels = (c->out_channels + PANEL - 1) / PANEL;
    if (c->runs == NULL) return "runs are missing";
    if (!kokoro_variant()->reads_runs) return NULL; /* so they stay out of the caches */
    for (int64_t i = 0; i < panels * c->run_taps; i++)
        if (!adds_up(c->runs + i * groups, groups))
            return "runs must add up to the groups of channels, with zeros behind them";
    return NULL;
}
