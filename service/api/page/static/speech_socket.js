/** Speech over the WebSocket: one text in, its messages and samples out. */

import { subprotocols } from "./key.js";
import { ServiceError, whyRefused } from "./service.js";
import { TEXTS } from "./texts.js";

/**
 * @typedef {{symbol: string, start_s: number, end_s: number}} Phoneme
 * @typedef {{text: string, text_start: number, text_end: number, start_s: number, end_s: number,
 *   phonemes?: Phoneme[]}} Word
 * @typedef {{onReady: (rate: number) => void, onWords: (words: Word[]) => void,
 *   onSamples: (samples: Int16Array) => void,
 *   onSkipped: (start: number, end: number) => void,
 *   onError: (error: ServiceError) => void, onDone: (duration_s: number) => void}} Listener
 */

/**
 * Say a text.
 * @param {string} text
 * @param {object} manner fields of `config`
 * @param {Listener} listener
 * @returns {{stop: () => void}} stop closes the connection, which cancels on the server
 */
export function say(text, manner, listener) {
  const address = new URL("synthesize/stream", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address, subprotocols());
  socket.binaryType = "arraybuffer";
  let opened = false;
  let over = false;

  /** @param {ServiceError} error */
  const fail = (error) => {
    over = true;
    socket.close(1000);
    listener.onError(error);
  };

  socket.onopen = () => {
    opened = true;
    for (const message of [
      { type: "config", timestamps: "phoneme", ...manner },
      { type: "text", text },
      { type: "end" },
    ]) socket.send(JSON.stringify(message));
  };

  let readies = 0;
  socket.onmessage = ({ data }) => {
    if (over) return;
    if (typeof data !== "string") {
      listener.onSamples(new Int16Array(data));
      return;
    }
    const message = JSON.parse(data);
    switch (message.type) {
      case "ready":
        // The first one is about the default voice; ours follows.
        readies += 1;
        if (readies > 1) listener.onReady(message.sample_rate_hz);
        break;
      case "audio":
        listener.onWords(message.words);
        break;
      case "skipped":
        listener.onSkipped(message.text_start, message.text_end);
        break;
      case "error":
        // The default voice may have no reader; the voice that was asked for may have one.
        if (readies === 0) { readies = 1; break; }
        fail(new ServiceError(422, message.error.code, message.error.message));
        break;
      case "done":
        over = true;
        listener.onDone(message.duration_s);
        break;
    }
  };

  socket.onclose = async () => {
    if (over) return;
    over = true;
    listener.onError(opened ? new ServiceError(0, "cut", TEXTS.cut) : await whyRefused());
  };

  return {
    stop() {
      over = true;
      socket.close(1000);
    },
  };
}
