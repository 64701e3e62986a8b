/** The text as it is spoken: each word lights up while it sounds, and plays when it is chosen. */

/** @typedef {import("./speech_socket.js").Word} Word */

/** Longer words may be broken. */
const MOST_TOGETHER = 24;

export class Transcript {
  /**
   * @param {HTMLElement} element
   * @param {(position_s: number) => void} onChoose
   */
  constructor(element, onChoose) {
    this._element = element;
    this._onChoose = onChoose;
    /** @type {string[]} code points, which offsets count */
    this._text = [];
    this._told = 0;
    /** @type {HTMLElement | null} the last word with its marks */
    this._group = null;
    /** @type {{word: Word, button: HTMLElement}[]} */
    this.words = [];
    this._rest = document.createElement("span");
    this._rest.className = "rest";
    /** @type {number} index of the word that sounds */
    this.lit = -1;
    element.addEventListener("keydown", (event) => this._move(event));
  }

  /** @param {string} text */
  begin(text) {
    this._text = Array.from(text);
    this._told = 0;
    this._group = null;
    this.words = [];
    this.lit = -1;
    this._rest.textContent = text;
    this._element.replaceChildren(this._rest);
  }

  /** @param {Word[]} words in order */
  add(words) {
    for (const word of words) {
      const [closing, space, opening] = this._between(word.text_start);
      this._close(closing);
      this._rest.before(space);
      const button = document.createElement("button");
      button.type = "button";
      button.className = "word";
      button.tabIndex = this.words.length ? -1 : 0;
      button.textContent = this._slice(Math.max(word.text_start, this._told), word.text_end);
      button.addEventListener("click", () => this._onChoose(word.start_s));
      this._group = document.createElement("span");
      this._group.append(opening, button);
      this._keepTogether();
      this._rest.before(this._group);
      this.words.push({ word, button });
      this._told = Math.max(this._told, word.text_end);
    }
    this._rest.textContent = this._slice(this._told, this._text.length);
  }

  /** @param {number} start @param {number} end of a clause with nothing to say */
  skip(start, end) {
    this._rest.before(this._slice(this._told, start));
    const mark = document.createElement("span");
    mark.className = "skipped";
    mark.textContent = this._slice(Math.max(start, this._told), end);
    this._rest.before(mark);
    this._group = null;
    this._told = end;
    this._rest.textContent = this._slice(end, this._text.length);
  }

  /** All has been said: what follows the last word belongs to it. */
  complete() {
    const [closing, space, opening] = this._between(this._text.length);
    this._close(closing);
    this._rest.before(space, opening);
    this._told = this._text.length;
    this._rest.textContent = "";
  }

  /**
   * Split what is between the last word and the next: marks that belong to the last, the space,
   * marks that belong to the next.
   * @param {number} end
   */
  _between(end) {
    const [, closing, space, opening] = /** @type {RegExpExecArray} */ (
      /^(\S*)(\s*(?:[^]*\s)?)(\S*)$/u.exec(this._slice(this._told, end)));
    return [closing, space, opening];
  }

  /** @param {string} marks after the last word: a button would let a line break before them */
  _close(marks) {
    if (this._group) this._group.append(marks);
    else this._rest.before(marks);
    this._keepTogether();
  }

  _keepTogether() {
    const length = this._group?.textContent?.length ?? 0;
    this._group?.classList.toggle("together", length <= MOST_TOGETHER);
  }

  /** @param {number} position_s light the word that sounds; none if negative */
  light(position_s) {
    const now = position_s < 0 ? -1 : this.words.findIndex(
      ({ word }) => word.start_s <= position_s && position_s < word.end_s);
    if (now === this.lit) return;
    this.words[this.lit]?.button.classList.remove("lit");
    this.words[now]?.button.classList.add("lit");
    this.lit = now;
  }

  /** @param {number} start @param {number} end */
  _slice(start, end) {
    return this._text.slice(start, end).join("");
  }

  /** @param {KeyboardEvent} event */
  _move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = this.words.findIndex(({ button }) => button === document.activeElement);
    const next = step && this.words[at + step];
    if (!next || at < 0) return;
    event.preventDefault();
    this.words[at].button.tabIndex = -1;
    next.button.tabIndex = 0;
    next.button.focus();
  }
}
