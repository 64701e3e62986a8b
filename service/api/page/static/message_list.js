/** The messages of a session, both ways, as a list that a reader follows. */

import { TEXTS } from "./texts.js";

const MOST = 400;
const LONGEST = 240;

export class MessageList {
  /** @param {HTMLElement} element */
  constructor(element) {
    this._element = element;
    this._start = performance.now();
  }

  /** Begin anew, with times from now on. */
  clear() {
    this._start = performance.now();
    this._element.replaceChildren();
  }

  /** @param {object} message that the page sent */
  addSent(message) {
    this._add("sent", TEXTS.sent, JSON.stringify(message));
  }

  /** @param {object} message that came */
  addReceived(message) {
    this._add("received", TEXTS.received, JSON.stringify(message));
  }

  /** @param {number} n_bytes of audio that came */
  addAudio(n_bytes) {
    this._add("received", TEXTS.received, TEXTS.bytesOfAudio(n_bytes));
  }

  /**
   * @param {string} kind
   * @param {string} direction
   * @param {string} text
   */
  _add(kind, direction, text) {
    const list = this._element;
    const isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4;
    const item = document.createElement("li");
    item.className = kind;
    const time = document.createElement("time");
    time.textContent = `${((performance.now() - this._start) / 1000).toFixed(2)} s`;
    const way = document.createElement("b");
    way.textContent = direction;
    const content = document.createElement("code");
    content.textContent = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
    item.append(time, way, content);
    list.append(item);
    while (list.childElementCount > MOST) list.firstElementChild?.remove();
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  }
}
