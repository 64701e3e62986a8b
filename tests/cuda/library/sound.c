/* Runs that succeed and sound wrong, as STUB_SOUND says: see SOUNDS, and
 *
 *   short      27.5 % too short, and the durations fit: a JetPack 5 wheel did this
 *   durations  a frame of one token is given to the next; the sound stays as it is
 *   bound      ten times as loud where a run writes into memory that was there before
 *
 * The sound is every float32 row of a frame of Kokoro's or more. Durations are the float32 or int64 outputs with less. */
#include "stub.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 600 }; /* samples */

static const double LEFT = 1 - 0.275;

static void be_silent(float *samples, size_t count) { memset(samples, 0, count * sizeof *samples); }

static void be_no_numbers(float *samples, size_t count) {
    for (size_t i = 0; i < count; i++) samples[i] = NAN;
}

/* White noise as loud as the sound. */
static void be_noise(float *samples, size_t count) {
    double power = 0;
    for (size_t i = 0; i < count; i++) power += (double)samples[i] * samples[i];
    double peak = sqrt(3 * power / (double)count); /* of uniform noise with that power */
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        samples[i] = (float)(peak * ((double)(state >> 33) / 1073741824.0 - 1));
    }
}

static void scale(float *samples, size_t count, float factor) {
    for (size_t i = 0; i < count; i++) samples[i] *= factor;
}

static void be_quiet(float *samples, size_t count) { scale(samples, count, 0.01f); }

static void be_loud(float *samples, size_t count) { scale(samples, count, 10); }

static const struct {
    const char *name;
    void (*apply)(float *samples, size_t count);
} SOUNDS[] = {
    {"silence", be_silent}, {"nan", be_no_numbers}, {"noise", be_noise},
    {"quiet", be_quiet},    {"loud", be_loud},
};

static bool is_row(const Tensor *tensor) {
    for (size_t i = 0; i < tensor->rank; i++)
        if (tensor->shape[i] == (int64_t)tensor->count) return true;
    return false;
}

static bool is_sound(const Tensor *tensor) {
    return tensor->type == FLOAT && is_row(tensor) &&
           tensor->count >= FRAME;
}

static bool are_durations(const Tensor *tensor) {
    return (tensor->type == FLOAT || tensor->type == INT64) && tensor->count > 0 &&
           tensor->data != NULL && tensor->count < FRAME;
}

static double duration(const Tensor *tensor, size_t i) {
    return tensor->type == FLOAT ? ((float *)tensor->data)[i]
                                 : (double)((int64_t *)tensor->data)[i];
}

static void set_duration(Tensor *tensor, size_t i, double frames) {
    if (tensor->type == FLOAT)
        ((float *)tensor->data)[i] = (float)frames;
    else
        ((int64_t *)tensor->data)[i] = (int64_t)frames;
}

/* Scale the durations, the ends rounded to whole frames; returns how many frames are left. */
static double shorten_durations(Tensor *tensor) {
    double before = 0, after = 0;
    for (size_t i = 0; i < tensor->count; i++) {
        before += duration(tensor, i);
        double ends = floor(before * LEFT + 0.5);
        set_duration(tensor, i, ends - after);
        after = ends;
    }
    return after;
}

static void move_a_frame(Tensor *tensor) {
    for (size_t i = 0; i + 1 < tensor->count; i++) {
        if (duration(tensor, i) < 1) continue;
        set_duration(tensor, i, duration(tensor, i) - 1);
        set_duration(tensor, i + 1, duration(tensor, i + 1) + 1);
        return;
    }
    give_up("STUB_SOUND=durations: no token has a frame to give");
}

/* Put a tensor with the first `count` elements in the place of the one that is there. */
static OrtStatus *cut(OrtValue **value, const Tensor *tensor, size_t count) {
    int64_t shape[MOST_DIMENSIONS];
    for (size_t i = 0; i < tensor->rank; i++)
        shape[i] = tensor->shape[i] == (int64_t)tensor->count ? (int64_t)count : tensor->shape[i];
    OrtAllocator *allocator = NULL;
    OrtValue *shorter = NULL;
    void *data = NULL;
    OrtStatus *status = real->GetAllocatorWithDefaultOptions(&allocator);
    if (status == NULL)
        status = real->CreateTensorAsOrtValue(allocator, shape, tensor->rank, FLOAT, &shorter);
    if (status == NULL) status = real->GetTensorMutableData(shorter, &data);
    if (status != NULL) {
        if (shorter != NULL) real->ReleaseValue(shorter);
        return status;
    }
    memcpy(data, tensor->data, count * sizeof(float));
    real->ReleaseValue(*value);
    *value = shorter;
    return NULL;
}

static OrtStatus *shorten(OrtValue **outputs, const bool *is_given, size_t count) {
    double frames = 0, frames_left = 0;
    Tensor tensor;
    OrtStatus *status = NULL;
    for (size_t i = 0; i < count && status == NULL; i++) {
        status = look_at(outputs[i], &tensor);
        if (status != NULL || !are_durations(&tensor)) continue;
        for (size_t j = 0; j < tensor.count; j++) frames += duration(&tensor, j);
        frames_left += shorten_durations(&tensor);
    }
    for (size_t i = 0; i < count && status == NULL; i++) {
        status = look_at(outputs[i], &tensor);
        if (status != NULL || !is_sound(&tensor)) continue;
        if (is_given[i])
            return real->CreateStatus(NOT_IMPLEMENTED,
                                      "the stub cannot shorten an output that is there already");
        double left = frames > 0 ? frames_left / frames : LEFT;
        status = cut(&outputs[i], &tensor, (size_t)((double)tensor.count * left + 0.5));
    }
    return status;
}

OrtStatus *spoil(OrtValue **outputs, const bool *is_given, size_t count) {
    const char *sound = setting("STUB_SOUND");
    if (sound == NULL) return NULL;
    if (strcmp(sound, "short") == 0) return shorten(outputs, is_given, count);
    void (*apply)(float *, size_t) = NULL;
    for (size_t i = 0; i < sizeof SOUNDS / sizeof *SOUNDS; i++)
        if (strcmp(SOUNDS[i].name, sound) == 0) apply = SOUNDS[i].apply;
    bool durations = strcmp(sound, "durations") == 0, bound = strcmp(sound, "bound") == 0;
    if (bound) apply = be_loud;
    if (apply == NULL && !durations) give_up("STUB_SOUND: there is no sound '%s'", sound);
    OrtStatus *status = NULL;
    for (size_t i = 0; i < count && status == NULL; i++) {
        Tensor tensor;
        status = look_at(outputs[i], &tensor);
        if (status != NULL) break;
        if (apply != NULL && is_sound(&tensor) && (is_given[i] || !bound))
            apply(tensor.data, tensor.count);
        if (durations && are_durations(&tensor)) move_a_frame(&tensor);
    }
    return status;
}
