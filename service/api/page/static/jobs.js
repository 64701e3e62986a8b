/** Documents that are spoken into files: a form for a new one, and how far each is. */

import { storedKey } from "./key.js";
import { ask } from "./service.js";
import { TEXTS } from "./texts.js";

/**
 * @typedef {{id: string, state: string, title: string, format: string, progress: number,
 *   left_s: number | null, duration_s: number | null, error: {message: string} | null}} Job
 * @typedef {{item: HTMLElement, state: HTMLElement, bar: HTMLProgressElement,
 *   output: HTMLAnchorElement, retry: HTMLButtonElement}} Row
 */

const POLL_MS = 1000;

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {Job} job */
const isFinished = (job) => job.state === "done" || job.state === "failed";

/** @param {string} text @param {string} label @param {() => void} act */
function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "quiet";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", act);
  return made;
}

export class Jobs {
  /** @param {{manner: () => {voice: string, speed: number, language?: string},
   *   onError: (error: unknown) => void, onSaid: (text: string) => void}} listener */
  constructor(listener) {
    this._listener = listener;
    this._list = get("job-list");
    this._document = /** @type {HTMLInputElement} */ (get("document"));
    this._format = /** @type {HTMLSelectElement} */ (get("job-format"));
    /** @type {Map<string, Row>} */
    this._rows = new Map();
    this._timer = 0;
    get("job-form").addEventListener("submit", (event) => {
      event.preventDefault();
      void this._send();
    });
  }

  /** Show the jobs that there are, and follow them. */
  async open() {
    clearTimeout(this._timer);
    get("jobs").hidden = false;
    try {
      /** @type {{jobs: Job[]}} */
      const { jobs } = await (await ask("jobs")).json();
      const known = new Set(jobs.map(({ id }) => id));
      for (const [id, row] of this._rows) {
        if (!known.has(id)) this._drop(id, row);
      }
      for (const job of jobs) this._show(job);
      if (!jobs.every(isFinished)) this._timer = setTimeout(() => this.open(), POLL_MS);
    } catch (problem) {
      this._listener.onError(problem);
    }
  }

  async _send() {
    const file = this._document.files?.[0];
    if (!file) return;
    const { voice, speed, language } = this._listener.manner();
    const query = new URLSearchParams({
      name: file.name, format: this._format.value, voice, speed: String(speed),
      ...(/\.txt$/i.test(file.name) && { ssml: "auto" }), ...(language && { language }),
    });
    try {
      await ask(`jobs?${query}`, file);
      this._document.value = "";
      this._listener.onSaid(TEXTS.jobStarted);
      await this.open();
    } catch (problem) {
      this._listener.onError(problem);
    }
  }

  /** @param {Job} job */
  _show(job) {
    const row = this._rows.get(job.id) ?? this._add(job);
    const left = job.left_s === null ? "" : ` · ${TEXTS.timeLeft(job.left_s)}`;
    row.state.textContent = job.error ? job.error.message : `${TEXTS.jobStates[job.state]}${left}`;
    row.state.className = job.error ? "error" : "hint";
    row.bar.value = job.progress;
    row.bar.hidden = isFinished(job);
    row.output.hidden = job.state !== "done";
    row.retry.hidden = job.state !== "failed";
  }

  /** @param {Job} job @returns {Row} */
  _add(job) {
    const item = document.createElement("li");
    const title = document.createElement("strong");
    title.textContent = job.title;
    const state = document.createElement("span");
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", TEXTS.progressOf(job.title));
    const output = document.createElement("a");
    output.textContent = TEXTS.downloadOf(job.format);
    output.href = new URL(`jobs/${job.id}/output`, document.baseURI).href;
    output.download = `${job.title}.${job.format}`;
    output.addEventListener("click", (event) => {
      if (storedKey() === null || output.href.startsWith("blob:")) return;
      event.preventDefault();
      void this._fetch(job.id, output);
    });
    const retry = button(TEXTS.retryJob, TEXTS.retryOf(job.title), () =>
      this._change(`jobs/${job.id}/retry`, "POST", TEXTS.jobStarted));
    const remove = button(TEXTS.removeJob, TEXTS.removeOf(job.title), () =>
      this._change(`jobs/${job.id}`, "DELETE", TEXTS.jobRemoved));
    item.append(title, state, bar, output, retry, remove);
    this._list.append(item);
    const row = { item, state, bar, output, retry };
    this._rows.set(job.id, row);
    return row;
  }

  /**
   * Get a file with the key, which a link cannot send, and give it to the link.
   * @param {string} id @param {HTMLAnchorElement} output
   */
  async _fetch(id, output) {
    try {
      output.href = URL.createObjectURL(await (await ask(`jobs/${id}/output`)).blob());
      output.click();
    } catch (problem) {
      this._listener.onError(problem);
    }
  }

  /** @param {string} path @param {string} method @param {string} said when it is done */
  async _change(path, method, said) {
    try {
      await ask(path, undefined, undefined, method);
      this._listener.onSaid(said);
    } catch (problem) {
      this._listener.onError(problem);
    }
    await this.open();
  }

  /** @param {string} id @param {Row} row */
  _drop(id, row) {
    if (row.output.href.startsWith("blob:")) URL.revokeObjectURL(row.output.href);
    row.item.remove();
    this._rows.delete(id);
  }
}
