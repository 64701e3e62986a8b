/** What is said: the normalized text, the phonemes of each word, and what is dropped. */

import { differences } from "./differences.js";
import { TEXTS } from "./texts.js";

/**
 * @typedef {{text: string, text_start: number, text_end: number, phonemes: string}} ReadWord
 * @typedef {{normalized: string, phonemes: string, chunks: {words: ReadWord[]}[],
 *   dropped: {text: string}[]}} Answer of `POST /phonemize`
 */

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Reading {
  /** @param {{onHear: (phonemes: string) => void, onText: (text: string) => void,
   *   onCopied: () => void, onError: (error: unknown) => void}} listener */
  constructor(listener) {
    this._listener = listener;
    this._text = "";
    /** @type {ReadWord | null} */
    this._word = null;
    this._form = /** @type {HTMLFormElement} */ (get("word-form"));
    this._field = /** @type {HTMLInputElement} */ (get("word-phonemes"));
    this._form.addEventListener("submit", (event) => {
      event.preventDefault();
      listener.onHear(this._field.value);
    });
    get("into-text").addEventListener("click", () => {
      if (!this._word) return;
      const text = Array.from(this._text);
      text.splice(this._word.text_start, this._word.text_end - this._word.text_start, this._markup());
      listener.onText(text.join(""));
    });
    get("copy-markup").addEventListener("click", () => this._copy(this._markup()));
    get("copy-lexicon").addEventListener("click", () => this._copy(
      `${JSON.stringify(this._word?.text ?? "")} = ${JSON.stringify(`/${this._field.value}/`)}`));
  }

  /** @param {string} text @param {Answer} answer */
  show(text, answer) {
    this._text = text;
    this._word = null;
    this._form.hidden = true;
    get("reading").hidden = false;
    get("normalized").replaceChildren(...differences(text, answer.normalized).map(({ kind, text: part }) => {
      if (kind === "same") return document.createTextNode(part);
      const mark = document.createElement(kind);
      mark.textContent = part;
      return mark;
    }));
    get("dropped").hidden = !answer.dropped.length;
    get("dropped-text").textContent = answer.dropped.map((span) => span.text).join("  ");
    const words = answer.chunks.flatMap((chunk) => chunk.words);
    get("words").replaceChildren(...words.map((word) => this._button(word)));
  }

  /** @param {ReadWord} word */
  _button(word) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const phonemes = document.createElement("small");
    phonemes.textContent = word.phonemes;
    const name = document.createElement("span");
    name.textContent = word.text;
    button.append(name, phonemes);
    button.addEventListener("click", () => {
      for (const other of get("words").children) other.setAttribute("aria-pressed", String(other === button));
      this._word = word;
      this._field.value = word.phonemes;
      /** @type {Element} */ (this._form.querySelector("label")).textContent = TEXTS.phonemesOf(word.text);
      this._form.hidden = false;
      this._field.focus();
    });
    return button;
  }

  _markup() {
    return `[${this._word?.text ?? ""}](/${this._field.value}/)`;
  }

  /** @param {string} text */
  async _copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this._listener.onCopied();
    } catch (error) {
      this._listener.onError(error);
    }
  }
}
