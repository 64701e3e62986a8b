/** A conversation: text that is typed as a language model writes it, and speech that begins meanwhile. */

import { MessageList } from "./message_list.js";
import { Player } from "./player.js";
import { ServiceError } from "./service.js";
import { openSession } from "./session.js";
import { TEXTS } from "./texts.js";

/** @typedef {import("./session.js").Message} Message */

/** Tokens of a language model have about four characters. */
const TOKEN = /\s*\S{1,4}|\s+$/gu;

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Conversation {
  /** @param {{onWrite: () => void, manner: () => object, onError: (error: unknown) => void}} listener
   *   `onWrite` is called before anything sounds; `manner` gives the fields of `config` */
  constructor(listener) {
    this._listener = listener;
    this.player = new Player();
    this._messages = new MessageList(get("messages"));
    this._text = /** @type {HTMLTextAreaElement} */ (get("written"));
    this._rate = /** @type {HTMLSelectElement} */ (get("token-rate"));
    this._interrupt = /** @type {HTMLButtonElement} */ (get("interrupt"));
    this._end = /** @type {HTMLButtonElement} */ (get("end-session"));
    /** @type {import("./session.js").Session | null} */
    this._session = null;
    /** @type {string[]} not yet written */
    this._tokens = [];
    this._timer = 0;
    this._cancels = 0;
    this._manner = "";
    /** @type {number | null} when the first token of a turn was sent, until it is spoken */
    this._begun = null;
    /** Code points, in all text of the session. */
    this._sentLength = 0;
    this._turnStart = 0;
    this._isGreeted = false;
    this._write = /** @type {HTMLButtonElement} */ (get("write"));
    this._write.addEventListener("click", () => this._beginTurn());
    this._interrupt.addEventListener("click", () => this.interrupt());
    this._end.addEventListener("click", () => this._finish());
  }

  /** Stop writing, and cancel what was not said. */
  interrupt() {
    if (!this._session) return;
    this._stopWriting();
    this.player.begin(24000);
    this._cancels += 1;
    this._send({ type: "cancel" });
  }

  _beginTurn() {
    this._listener.onWrite();
    if (!this.player.isPlaying) this.player.begin(24000);
    if (!this._session) this._open();
    const manner = JSON.stringify(this._listener.manner());
    if (manner !== this._manner) this._send({ type: "config", ...JSON.parse(manner) });
    this._manner = manner;
    this._stopWriting();
    this._tokens = this._text.value.match(TOKEN) ?? [];
    this._begun = null;
    this._turnStart = this._sentLength;
    this._timer = setInterval(() => this._writeToken(), 1000 / Number(this._rate.value));
  }

  _open() {
    this._messages.clear();
    this._manner = "";
    this._cancels = 0;
    this._sentLength = 0;
    this._isGreeted = false;
    this._session = openSession({
      onMessage: (message) => this._receive(message),
      onSamples: (samples) => this._hear(samples),
      onCut: (error) => {
        this._close();
        this._listener.onError(error);
      },
    });
    this._interrupt.disabled = this._end.disabled = false;
  }

  _writeToken() {
    const token = this._tokens.shift();
    if (token === undefined) {
      this._stopWriting();
      this._send({ type: "flush" });
      return;
    }
    this._begun ??= performance.now();
    this._sentLength += Array.from(token).length;
    this._send({ type: "text", text: token });
  }

  _stopWriting() {
    clearInterval(this._timer);
    this._tokens = [];
  }

  _finish() {
    this._stopWriting();
    this._write.disabled = this._end.disabled = true;
    this._send({ type: "end" });
  }

  /** @param {Message} message */
  _send(message) {
    this._session?.send(message);
    this._messages.addSent(message);
  }

  /** @param {Message} message */
  _receive(message) {
    this._messages.addReceived(message);
    const isFirst = !this._isGreeted;
    this._isGreeted = true;
    switch (message.type) {
      case "ready":
        if (this.player.context?.sampleRate !== message.sample_rate_hz) {
          this.player.begin(message.sample_rate_hz);
        }
        break;
      case "audio":
        if (this._begun === null || message.text_end <= this._turnStart) break;
        get("first-token").textContent = TEXTS.firstToken((performance.now() - this._begun) / 1000);
        this._begun = null;
        break;
      case "cancelled":
        this._cancels -= 1;
        break;
      case "error":
        // The first message is about the default voice, which may have no reader; ours may.
        if (isFirst) break;
        this._listener.onError(new ServiceError(422, message.error.code, message.error.message));
        break;
      case "done":
        this._close();
        break;
    }
  }

  /** @param {Int16Array} samples */
  _hear(samples) {
    this._messages.addAudio(samples.byteLength);
    if (this._cancels === 0) this.player.add(samples); // else of a text that was cancelled
  }

  _close() {
    this._stopWriting();
    this._session?.close();
    this._session = null;
    this._write.disabled = false;
    this._interrupt.disabled = this._end.disabled = true;
  }
}
