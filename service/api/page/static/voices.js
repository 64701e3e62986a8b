/** The choice of a voice: one, or a blend of up to four. */

import { TEXTS } from "./texts.js";

/** @typedef {{name: string, language: string | null, sex: string | null}} Voice */

const MOST = 4;

export class Voices {
  /**
   * @param {{list: HTMLElement, search: HTMLInputElement, blend: HTMLElement, parts: HTMLElement}} elements
   * @param {{onChange: () => void, onListen: (voice: Voice) => void, onRefuse: (text: string) => void}} listener
   */
  constructor(elements, listener) {
    this._elements = elements;
    this._listener = listener;
    /** @type {Voice[]} */
    this.all = [];
    /** @type {Map<string, number>} weight of each chosen voice, in tenths */
    this.chosen = new Map();
    /** @type {(code: string) => string} */
    this._nameOf = (code) => code;
    elements.search.addEventListener("input", () => this._draw());
  }

  /**
   * @param {Voice[]} voices
   * @param {string} first the voice, or one of a blend, to begin with
   * @param {(code: string) => string} nameOf a language
   */
  fill(voices, first, nameOf) {
    this.all = voices;
    this._nameOf = nameOf;
    const known = voices.find(({ name }) => first.startsWith(name)) ?? voices[0];
    this.choose(known.name);
  }

  /** The field `voice` of a request. */
  get expression() {
    const [only, ...others] = this.chosen;
    if (!others.length) return only[0];
    return [...this.chosen].map(([name, weight]) => `${name}(${weight / 10})`).join("+");
  }

  /** The language of the first chosen voice. */
  get language() {
    const [name] = this.chosen.keys();
    return this.all.find((voice) => voice.name === name)?.language ?? null;
  }

  /** @param {string} name choose this voice alone */
  choose(name) {
    this.chosen = new Map([[name, 10]]);
    this._draw();
    this._listener.onChange();
  }

  /** @param {string} code choose a voice of this language, unless the chosen one is */
  follow(code) {
    const found = this.all.find(({ language }) => language === code);
    if (this.language !== code && found) this.choose(found.name);
  }

  /** @param {HTMLInputElement} box */
  _toggle(box) {
    if (box.checked && this.chosen.size === MOST) {
      box.checked = false;
      this._listener.onRefuse(TEXTS.atMostFour);
    } else if (box.checked) {
      this.chosen.set(box.value, 10);
    } else if (this.chosen.size > 1) {
      this.chosen.delete(box.value);
    } else {
      box.checked = true; // somebody must speak
    }
    this._drawBlend();
    this._listener.onChange();
  }

  _draw() {
    const wanted = this._elements.search.value.trim().toLowerCase();
    /** @type {Map<string, Voice[]>} */
    const groups = new Map();
    for (const voice of this.all) {
      const sex = voice.sex === "female" || voice.sex === "male" ? TEXTS[voice.sex] : voice.sex;
      const title = voice.language === null
        ? TEXTS.otherVoices
        : [this._nameOf(voice.language), sex].filter(Boolean).join(", ");
      if (!`${voice.name} ${title}`.toLowerCase().includes(wanted)) continue;
      groups.set(title, [...(groups.get(title) ?? []), voice]);
    }
    const parts = [];
    for (const [title, voices] of groups) {
      const heading = document.createElement("h3");
      heading.textContent = title;
      parts.push(heading, ...voices.map((voice) => this._row(voice)));
    }
    if (!parts.length) parts.push(TEXTS.noVoice);
    this._elements.list.replaceChildren(...parts);
    this._drawBlend();
  }

  /** @param {Voice} voice */
  _row(voice) {
    const row = document.createElement("div");
    row.className = "voice";
    const box = document.createElement("input");
    Object.assign(box, { type: "checkbox", id: `voice-${voice.name}`, value: voice.name });
    box.checked = this.chosen.has(voice.name);
    box.addEventListener("change", () => this._toggle(box));
    const label = document.createElement("label");
    label.htmlFor = box.id;
    label.textContent = voice.name;
    // One click on a name is the usual wish: this voice alone. The box adds it to a blend.
    label.addEventListener("click", (event) => {
      event.preventDefault();
      this.choose(voice.name);
      document.getElementById(box.id)?.focus();
    });
    const listen = document.createElement("button");
    Object.assign(listen, { type: "button", className: "quiet", textContent: TEXTS.listen });
    listen.setAttribute("aria-label", `${TEXTS.listen}: ${voice.name}`);
    listen.addEventListener("click", () => this._listener.onListen(voice));
    row.append(box, label, listen);
    return row;
  }

  _drawBlend() {
    this._elements.blend.hidden = this.chosen.size < 2;
    const rows = [...this.chosen].map(([name, weight]) => {
      const row = document.createElement("div");
      row.className = "slider";
      const slider = document.createElement("input");
      Object.assign(slider, { type: "range", id: `part-${name}`, min: "1", max: "20", value: String(weight) });
      const label = document.createElement("label");
      label.htmlFor = slider.id;
      label.textContent = name;
      const value = document.createElement("output");
      value.textContent = String(weight / 10);
      slider.addEventListener("input", () => {
        this.chosen.set(name, Number(slider.value));
        value.textContent = String(Number(slider.value) / 10);
        this._listener.onChange();
      });
      row.append(label, value, slider);
      return row;
    });
    this._elements.parts.replaceChildren(...rows);
  }
}
