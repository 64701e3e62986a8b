/* DynamicQuantizeLSTM over a runtime. */
#ifndef KOKORO_LSTM_H
#define KOKORO_LSTM_H

#include "kokoro_ops.h"
#include "runtime.h"

/* NULL, or what is wrong with the units of a direction: sizes of inputs are made of them. */
const char *kokoro_check_hidden(int64_t hidden);
/* NULL, or what is wrong with sizes and weights. */
const char *kokoro_check_lstm(const struct kokoro_lstm *);

/* Arguments that were checked: y [rows, 2 hidden]. NULL, or what is wrong. */
const char *kokoro_run_lstm(const struct runtime *, const struct kokoro_lstm *, float *y);

#endif
