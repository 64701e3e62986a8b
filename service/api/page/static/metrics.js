/** Metrics of the service, read from the text that Prometheus reads. */

/** @typedef {{name: string, labels: Record<string, string>, value: number}} Sample */

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export class Metrics {
  /** @param {string} text answer of `GET /metrics` */
  constructor(text) {
    /** @type {Sample[]} */
    this.samples = [];
    for (const line of text.split("\n")) {
      const found = LINE.exec(line);
      if (!found) continue; // a comment
      const labels = [...(found[2] ?? "").matchAll(LABEL)].map(([, name, value]) => [name, value]);
      this.samples.push({ name: found[1], labels: Object.fromEntries(labels), value: Number(found[3]) });
    }
  }

  /**
   * Return the sum of the samples of a metric.
   * @param {string} name
   * @param {(labels: Record<string, string>) => boolean} [counts] whether a sample does
   */
  sum(name, counts = () => true) {
    return this.samples
      .filter((sample) => sample.name === name && counts(sample.labels))
      .reduce((total, { value }) => total + value, 0);
  }

  /**
   * Return the mean of what a histogram has got since earlier metrics; null if it got nothing.
   * @param {string} name
   * @param {Metrics} earlier
   */
  meanSince(name, earlier) {
    const n = this.sum(`${name}_count`) - earlier.sum(`${name}_count`);
    return n > 0 ? (this.sum(`${name}_sum`) - earlier.sum(`${name}_sum`)) / n : null;
  }
}
