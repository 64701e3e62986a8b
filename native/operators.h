/* What ONNX Runtime makes of a node of the domain: its attributes, and what computes it. */
#ifndef KOKORO_OPERATORS_H
#define KOKORO_OPERATORS_H

#include "convolution.h"
#include "node.h"
#include "residual_block.h"
#include "variant.h"

#include <stddef.h>

struct kernel {
    const OrtApi *api;
    OrtMemoryInfo *memory;
    const struct definition *definition;
    int64_t layout; /* of packed weights, as the model says */
    union {
        struct kokoro_convolution convolution;
        struct kokoro_float_convolution float_convolution;
        struct residual_block block;
        struct kokoro_lstm lstm;
        struct kokoro_harmonic_source source;
    };
};

struct attribute {
    const char *name;
    size_t offset;
    enum { INTEGER, NUMBER, INTEGERS, NUMBERS } type; /* the last two: one a convolution */
};

enum {
    BLOCK_HEAD = 5,     /* inputs of a block before those of its convolutions */
    BLOCK_OPERANDS = 6, /* inputs of each */
    MOST_INPUTS = BLOCK_HEAD + BLOCK_OPERANDS * BLOCK_CONVOLUTIONS,
    MOST_RESULTS = 3, /* of one x: queries, keys and values */
};

/* `ort` is first, so that ONNX Runtime's pointer to it is a pointer to this. */
struct definition {
    OrtCustomOp ort;
    const char *name;
    void (*compute)(const struct kernel *, struct node *);
    const struct attribute *attributes;
    int packs_integers; /* and so has an attribute LAYOUT */
    size_t inputs, required_inputs, outputs;
    int input_types[MOST_INPUTS];
};

void kokoro_compute_quantized(const struct kernel *, struct node *);
void kokoro_compute_matmul(const struct kernel *, struct node *);
void kokoro_compute_block(const struct kernel *, struct node *);
void kokoro_compute_lstm(const struct kernel *, struct node *);
void kokoro_compute_float(const struct kernel *, struct node *);
void kokoro_compute_transposed(const struct kernel *, struct node *);
void kokoro_compute_statistics(const struct kernel *, struct node *);
void kokoro_compute_source(const struct kernel *, struct node *);
void kokoro_compute_polar(const struct kernel *, struct node *);

/* Each ends with one that has no name. */
extern const struct attribute kokoro_quantized_attributes[], kokoro_matmul_attributes[],
    kokoro_block_attributes[], kokoro_lstm_attributes[], kokoro_float_attributes[], kokoro_transposed_attributes[],
    kokoro_source_attributes[];

#define FIELD(member, field, type) {#field, offsetof(struct kernel, member.field), type}
#define LAYOUT {"layout", offsetof(struct kernel, layout), INTEGER}
#define NAMED(member, name, field, type) {name, offsetof(struct kernel, member.field), type}

static inline int64_t panels_of(int64_t columns) { return columns / PANEL + (columns % PANEL != 0); }
static inline int64_t groups_of(int64_t channels) { return channels / GROUP + (channels % GROUP != 0); }

#endif
