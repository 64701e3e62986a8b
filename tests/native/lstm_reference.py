"""DynamicQuantizeLSTM in numpy: each rounding is one of float32, as ONNX Runtime's own are."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tests.native import kokoro_reference as reference
from tests.native.kokoro_reference import fused, plus_product

N_GATES = 4

# Numerators and denominators of Eigen's quotients, from the highest power of x^2 down.
LOGISTIC = (
    [4.37031012579801e-11, 1.15627324459942e-07, 6.08574864600143e-05, 8.51377133304701e-03,
     2.48287947061529e-01],
    [6.10247389755681e-13, 5.76102136993427e-09, 6.29106785017040e-06, 1.70198817374094e-03,
     1.16817656904453e-01, 9.93151921023180e-01],
)  # fmt: skip
TANH = (
    [-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
     1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03],
    [1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03],
)  # fmt: skip


def quotient(x, coefficients):
    square = x * x

    def polynomial(of):
        first, *others = (np.full_like(x, c) for c in of)
        for other in others:
            first = fused(first, square, other)
        return first

    above, below = map(polynomial, coefficients)
    return above * x / below


def logistic(x):
    return np.clip(quotient(np.clip(x, -18, 18), LOGISTIC) + np.float32(0.5), 0, 1)


def tanh(x):
    return quotient(np.clip(x, -9, 9), TANH)


class Matrix(NamedTuple):
    """int8 [Ci, 8 H] of both directions, and a scale for each column."""

    w: Any
    scales: Any


@dataclass
class Lstm:
    """`x` [T, Ci], `bias` [8 H]. Columns: of each direction the gates of the input, of the output
    and of forgetting, and the cell."""

    x: Any
    of_input: Matrix
    of_state: Matrix
    bias: Any

    @property
    def hidden(self):
        return self.of_state.w.shape[0]

    def result(self):
        gates = reference.matmul(self.x, *self.of_input).result()
        half = N_GATES * self.hidden
        forward = self._states(gates, slice(0, half))
        backward = self._states(gates[::-1], slice(half, None))[::-1]
        return np.concatenate([forward, backward], axis=1)

    def _states(self, gates, columns):
        of_state = Matrix(self.of_state.w[:, columns], self.of_state.scales[columns])
        state, cell = np.zeros((2, self.hidden), np.float32)
        states = []
        for row in gates[:, columns]:
            row = reference.matmul(state[None], *of_state, row).result()[0] + self.bias[columns]
            enter, leave, keep, new = np.split(row, N_GATES)
            cell = plus_product(logistic(enter) * tanh(new), cell, logistic(keep))
            state = tanh(cell) * logistic(leave)
            states.append(state)
        return np.stack(states)


def random_lstm(rows, inner, hidden, *, widest=128, loudness=1.0, seed=0):
    """`loudness` of the biases: gates are open or shut where it is large."""
    random = np.random.default_rng(seed)
    columns = 2 * N_GATES * hidden

    def matrix(n_in):
        w = reference.random_weights((n_in, columns), widest, random)
        scales = np.repeat(random.uniform(0.5, 2, 2) / (widest * np.sqrt(n_in)), columns // 2)
        return Matrix(w, scales.astype(np.float32))

    return Lstm(
        random.standard_normal((rows, inner), np.float32),
        matrix(inner),
        matrix(hidden),
        np.float32(loudness) * random.standard_normal(columns, np.float32),
    )
