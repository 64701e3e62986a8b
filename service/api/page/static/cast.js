/** A dialogue: the turns of its lines, and a voice for each speaker. */

import { TEXTS } from "./texts.js";

/** @typedef {import("./voices.js").Voice} Voice */
/** @typedef {{name: string, text: string}} Turn */

const LINE = /^\s*(\p{L}[^:.,!?;]{0,31}?)\s*:\s+(\S.*)$/u;

/**
 * Return what is said: a line names its speaker before a colon, or goes on with the one before.
 * @param {string} play
 * @returns {Turn[]}
 */
export function turnsOf(play) {
  /** @type {Turn[]} */
  const turns = [];
  for (const line of play.split("\n").filter((one) => one.trim())) {
    const [, name, text] = LINE.exec(line) ?? [];
    const last = turns.at(-1);
    if (name || !last) turns.push({ name: name ?? "", text: text ?? line.trim() });
    else last.text += `\n${line.trim()}`;
  }
  return turns;
}

export class Cast {
  /**
   * @param {HTMLTextAreaElement} play
   * @param {HTMLElement} list of the speakers
   */
  constructor(play, list) {
    this._play = play;
    this._list = list;
    /** @type {Map<string, string>} voice of each speaker */
    this.voices = new Map();
    /** @type {Voice[]} */
    this._all = [];
    play.addEventListener("input", () => this._draw());
  }

  /** @param {Voice[]} voices @param {string} first for who speaks first */
  fill(voices, first) {
    const known = voices.find(({ name }) => first.startsWith(name)) ?? voices[0];
    const alike = voices.filter(({ language }) => language === known.language);
    this._all = [...new Set([known, ...alike, ...voices])];
    this._draw();
  }

  /** The field `turns` of `POST /dialogue`. */
  get turns() {
    return turnsOf(this._play.value).map(({ name, text }) => ({ voice: this.voices.get(name), text }));
  }

  _draw() {
    if (!this._all.length) return;
    const names = [...new Set(turnsOf(this._play.value).map(({ name }) => name))];
    for (const name of names) {
      const taken = new Set(names.map((one) => this.voices.get(one)));
      const free = this._all.find((voice) => !taken.has(voice.name)) ?? this._all[0];
      if (!this.voices.has(name)) this.voices.set(name, free.name);
    }
    this._list.replaceChildren(...names.flatMap((name, place) => this._row(name, place)));
  }

  /** @param {string} name @param {number} place */
  _row(name, place) {
    const choice = document.createElement("select");
    choice.id = `speaker-${place}`;
    choice.append(...this._all.map((voice) => new Option(voice.name)));
    choice.value = this.voices.get(name) ?? "";
    choice.addEventListener("change", () => this.voices.set(name, choice.value));
    const label = document.createElement("label");
    label.htmlFor = choice.id;
    label.textContent = name || TEXTS.nobody;
    return [label, choice];
  }
}

/**
 * Yield the samples of an answer in PCM while they come.
 * @param {Response} answer
 */
export async function* samplesOf(answer) {
  const reader = answer.body?.getReader();
  let rest = new Uint8Array();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const bytes = new Uint8Array(rest.length + part.value.length);
    bytes.set(rest);
    bytes.set(part.value, rest.length);
    const whole = bytes.length - bytes.length % 2;
    rest = bytes.slice(whole);
    yield new Int16Array(bytes.buffer, 0, whole / 2);
  }
}
