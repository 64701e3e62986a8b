/** Waveform and spectrogram of samples. */

const WINDOW = 512;

/** @param {HTMLCanvasElement} canvas @param {Float32Array} samples */
export function drawWaveform(canvas, samples) {
  const { width, height } = canvas;
  const drawing = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  drawing.clearRect(0, 0, width, height);
  drawing.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x += 1) {
    let low = 0;
    let high = 0;
    const end = Math.floor((x + 1) * samples.length / width);
    for (let i = Math.floor(x * samples.length / width); i < end; i += 1) {
      low = Math.min(low, samples[i]);
      high = Math.max(high, samples[i]);
    }
    drawing.fillRect(x, height / 2 * (1 - high), 1, Math.max(1, height / 2 * (high - low)));
  }
}

/** @param {HTMLCanvasElement} canvas @param {Float32Array} samples */
export function drawSpectrogram(canvas, samples) {
  const { width, height } = canvas;
  const drawing = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = drawing.createImageData(width, height);
  const real = new Float32Array(WINDOW);
  const imaginary = new Float32Array(WINDOW);
  for (let x = 0; x < width; x += 1) {
    const centre = Math.floor((x + 0.5) * samples.length / width);
    for (let i = 0; i < WINDOW; i += 1) {
      const sample = samples[centre + i - WINDOW / 2] ?? 0;
      real[i] = sample * (0.5 - 0.5 * Math.cos(2 * Math.PI * i / WINDOW));
      imaginary[i] = 0;
    }
    transform(real, imaginary);
    for (let y = 0; y < height; y += 1) {
      const bin = Math.floor((height - 1 - y) * (WINDOW / 2) / height);
      const power = real[bin] ** 2 + imaginary[bin] ** 2;
      // 70 dB below the loudest that speech reaches is black.
      const level = Math.min(1, Math.max(0, (10 * Math.log10(power + 1e-9) + 40) / 70));
      const at = 4 * (y * width + x);
      image.data[at] = 255 * level ** 1.5;
      image.data[at + 1] = 225 * level;
      image.data[at + 2] = 60 + 110 * level;
      image.data[at + 3] = 255 * Math.min(1, 0.25 + level);
    }
  }
  drawing.putImageData(image, 0, 0);
}

/**
 * Fourier transform in place, radix 2.
 * @param {Float32Array} real
 * @param {Float32Array} imaginary
 */
export function transform(real, imaginary) {
  const n = real.length;
  for (let i = 1, j = 0; i < n; i += 1) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j], real[i]];
      [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1) {
    const angle = -2 * Math.PI / size;
    for (let k = 0; k < size / 2; k += 1) {
      const cosine = Math.cos(angle * k);
      const sine = Math.sin(angle * k);
      for (let i = k; i < n; i += size) {
        const j = i + size / 2;
        const a = real[j] * cosine - imaginary[j] * sine;
        const b = real[j] * sine + imaginary[j] * cosine;
        real[j] = real[i] - a;
        imaginary[j] = imaginary[i] - b;
        real[i] += a;
        imaginary[i] += b;
      }
    }
  }
}
