"""The dialect: operators between those of a published graph and of a prepared one.

Recognizing steps replace groups of nodes by these operators; a backend replaces all of them by
native or stock operators, so a prepared model has none. Activations are float32 and channels last,
[1, T, C]. Recognizing steps put transposes around an operator, which later steps cancel.

- `QuantizedConv(x, weight, bias?, length?, ends?)`: `DynamicQuantizeLinear` over the whole of x, or
  in the range that it gives of ends where there are any, a convolution of integers, bias rounded
  down to the accumulator's steps, float32 again. weight uint8 [Co, Ci, K]; length is how many
  frames x has; attributes dilation, stride, pad_begin, pad_end, weight_scale, weight_zero_point
  (uint8).
- `InstanceNorm(x)`: (x - mean) / sqrt(variance + epsilon) of each channel over time.
- `Modulate(x, style, mean?, variance?, least?, greatest?, share?)`: (1 + gamma) * x + beta, style
  [1, 2C] with gamma, then beta. Where share, [1], is more than 0, x is normalized with the mean
  and the variance, [C], in the place of its own; least and greatest, [C], are those of the frames
  before they were normalized, in the whole of which these are a window.
- `ChannelStatistics(x)`: mean, variance, least and greatest of each channel over time, [4, C].
- `Snake(x, alpha)`: x + sin(alpha * x)^2 / alpha, alpha [C].
- `Conv(x, weight, bias)`: in floats, weight [Co, Ci, K], as many frames out as in; attribute pad.
- `Upsample(x, weight, bias)`: a transposed convolution in floats whose kernel is two strides long,
  weight [Ci, Co, 2 * stride]; attributes stride, pad.
- `Parts(real, imaginary)`: a complex spectrum; goes as soon as each part is asked for.
- `Repeat(x)`: each frame twice.
- `Reflect(x)`: one frame put before the others, equal to the second of them.
"""

DOMAIN = "kokoro.rewriting"

ENDS = 4
"""Which input of a `QuantizedConv` they are."""
