/** What an operator watches: the model in use, and numbers of the last minutes. */

import { Chart } from "./chart.js";
import { Metrics } from "./metrics.js";
import { ServiceError, ask } from "./service.js";
import { TEXTS } from "./texts.js";

const SPAN_S = 300;
const PERIOD_S = 2;

/** What this page itself, and probes, ask for. */
const OWN = new Set(["/", "/docs", "/page/{digest}/{name}", "/metrics", "/ready", "/health"]);

/** @param {Metrics} metrics */
const speechRequests = (metrics) => metrics.sum(
  "kokoro_requests_total", ({ endpoint }) => !OWN.has(endpoint));

/**
 * What the charts show: the title, how a value is written, and the value, from the metrics, those
 * before and the seconds between.
 * @type {[string, (value: number) => string,
 *   (now: Metrics, before: Metrics, seconds: number) => number | null][]}
 */
const CHARTS = [
  [TEXTS.memory, (value) => `${Math.round(value)} MB`,
    (now) => now.sum("process_resident_memory_bytes") / 1e6],
  [TEXTS.queue, String, (now) => now.sum("kokoro_queue_length")],
  [TEXTS.requests, (value) => value.toFixed(0),
    (now, before, seconds) => 60 * (speechRequests(now) - speechRequests(before)) / seconds],
  [TEXTS.firstAudio, (value) => `${value.toFixed(2)} s`,
    (now, before) => now.meanSince("kokoro_time_to_first_audio_seconds", before)],
  [TEXTS.realTimeFactor, (value) => value.toFixed(2),
    (now, before) => now.meanSince("kokoro_real_time_factor", before)],
];

export class Status {
  /**
   * @param {HTMLDetailsElement} details asks the service while it is open
   * @param {HTMLElement} facts
   * @param {HTMLElement} charts
   */
  constructor(details, facts, charts) {
    this._details = details;
    this._facts = facts;
    this._charts = CHARTS.map(([title, write, value]) => ({
      chart: new Chart(title, write, SPAN_S), value,
    }));
    charts.append(...this._charts.map(({ chart }) => chart.element));
    /** @type {{metrics: Metrics, time_s: number} | null} */
    this._before = null;
    this._timer = 0;
    details.addEventListener("toggle", () => this._watch());
    document.addEventListener("visibilitychange", () => this._watch());
  }

  _watch() {
    clearTimeout(this._timer);
    if (this._details.open && !document.hidden) void this._look();
  }

  async _look() {
    clearTimeout(this._timer);
    try {
      const [ready, metrics] = await Promise.all([
        ask("ready").then((answer) => answer.json()),
        ask("metrics").then((answer) => answer.text()),
      ]);
      this._showFacts(ready);
      this._showMetrics(new Metrics(metrics));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this._write([[TEXTS.status, error.message]]);
      this._before = null;
    }
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._watch(), 1000 * PERIOD_S);
  }

  /** @param {any} ready answer of `GET /ready` */
  _showFacts({ status, version, provider, onnxruntime, workers, threads, model }) {
    this._write([
      [TEXTS.status, status],
      [TEXTS.version, version],
      [TEXTS.model, model.name],
      [TEXTS.variant, [model.prepared ?? TEXTS.asPublished, model.kernels].filter(Boolean).join(" ")],
      [TEXTS.provider, provider],
      [TEXTS.onnxruntime, onnxruntime],
      [TEXTS.workers, TEXTS.workersOf(workers, threads)],
    ]);
  }

  /** @param {[string, string][]} facts */
  _write(facts) {
    this._facts.replaceChildren(...facts.map(([name, value]) => {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      term.textContent = name;
      const description = document.createElement("dd");
      description.textContent = value;
      row.append(term, description);
      return row;
    }));
  }

  /** @param {Metrics} metrics */
  _showMetrics(metrics) {
    const time_s = performance.now() / 1000;
    const before = this._before ?? { metrics, time_s: time_s - PERIOD_S };
    this._before = { metrics, time_s };
    for (const { chart, value } of this._charts) {
      chart.add(time_s, value(metrics, before.metrics, time_s - before.time_s));
    }
  }
}
