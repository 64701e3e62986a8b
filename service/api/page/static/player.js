/** Gapless playback of samples that are still arriving. */

const LEAD_S = 0.05;

export class Player {
  constructor() {
    /** @type {AudioContext | null} */
    this.context = null;
    /** @type {AnalyserNode | null} what sounds, after the volume */
    this.analyser = null;
    /** @type {GainNode | null} */
    this.gain = null;
    this.volume = 1;
    /** Parts that came too late for a gapless join. */
    this.underruns = 0;
    /** @type {() => void} called when all has sounded */
    this.onEnd = () => {};
    /** @type {{start: number, buffer: AudioBuffer}[]} */
    this._parts = [];
    /** @type {Set<AudioBufferSourceNode>} */
    this._nodes = new Set();
    this._length = 0;
    /** @type {number | null} context time of the first sample */
    this._origin = null;
    this._complete = false;
  }

  /**
   * Begin an utterance. Call it from a click: browsers keep pages silent until then.
   * @param {number} rate_hz
   */
  begin(rate_hz) {
    this.silence();
    if (this.context?.sampleRate !== rate_hz) {
      void this.context?.close();
      this.context = new AudioContext({ sampleRate: rate_hz });
      this.gain = new GainNode(this.context, { gain: this.volume });
      this.analyser = new AnalyserNode(this.context, { fftSize: 2048 });
      this.gain.connect(this.analyser).connect(this.context.destination);
    }
    void this.context.resume();
    this._parts = [];
    this._length = 0;
    this._origin = null;
    this._complete = false;
    this.underruns = 0;
  }

  /** @param {number} volume 0 to 1 */
  setVolume(volume) {
    this.volume = volume;
    if (this.gain && this.context) this.gain.gain.setTargetAtTime(volume, this.context.currentTime, 0.01);
  }

  /** @param {Int16Array} samples that follow those before */
  add(samples) {
    if (!this.context || !samples.length) return;
    const buffer = this.context.createBuffer(1, samples.length, this.context.sampleRate);
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 32768));
    const part = { start: this._length, buffer };
    this._parts.push(part);
    this._length += samples.length;
    const now = this.context.currentTime;
    if (this._origin === null) this._origin = this._onGrid(now + LEAD_S);
    const late = now - (this._origin + part.start / this.context.sampleRate);
    if (late > 0) {
      this.underruns += 1;
      this._origin = this._onGrid(this._origin + late + LEAD_S);
    }
    this._schedule(part, 0);
  }

  /** No more samples will come. */
  complete() {
    this._complete = true;
    if (!this._nodes.size) this.onEnd();
  }

  /** @param {number} position_s in the utterance */
  playFrom(position_s) {
    if (!this.context) return;
    this.silence();
    void this.context.resume();
    this._origin = this._onGrid(this.context.currentTime + 0.02 - position_s);
    const first = position_s * this.context.sampleRate;
    for (const part of this._parts) {
      if (part.start + part.buffer.length > first) this._schedule(part, Math.max(0, first - part.start));
    }
  }

  /** Stop at once; what has come can be played again. */
  silence() {
    for (const node of this._nodes) {
      node.onended = null;
      node.stop();
    }
    this._nodes.clear();
  }

  get isPlaying() {
    return this._nodes.size > 0;
  }

  /** Seconds of the utterance that have left the loudspeaker; it waits for samples that are late. */
  get position_s() {
    if (!this.context || this._origin === null) return 0;
    const played_s = this.context.currentTime - (this.context.outputLatency || 0) - this._origin;
    return Math.min(played_s, this.duration_s);
  }

  get duration_s() {
    return this.context ? this._length / this.context.sampleRate : 0;
  }

  /** @returns {Float32Array} all samples so far, -1 to 1 */
  samples() {
    const all = new Float32Array(this._length);
    for (const { start, buffer } of this._parts) all.set(buffer.getChannelData(0), start);
    return all;
  }

  /**
   * @param {{start: number, buffer: AudioBuffer}} part
   * @param {number} skipped samples of it
   */
  _schedule(part, skipped) {
    const context = /** @type {AudioContext} */ (this.context);
    const node = new AudioBufferSourceNode(context, { buffer: part.buffer });
    node.connect(/** @type {GainNode} */ (this.gain));
    node.onended = () => {
      this._nodes.delete(node);
      if (!this._nodes.size && this._complete) this.onEnd();
    };
    this._nodes.add(node);
    const rate = context.sampleRate;
    node.start(/** @type {number} */ (this._origin) + (part.start + skipped) / rate, skipped / rate);
  }

  /** @param {number} time_s */
  _onGrid(time_s) {
    const rate = /** @type {AudioContext} */ (this.context).sampleRate;
    return Math.ceil(time_s * rate) / rate;
  }
}

export const player = new Player();
