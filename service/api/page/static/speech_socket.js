/** Speech over the WebSocket: one text in, its words and samples out. */

import { opensSsml } from "./request_code.js";
import { ServiceError } from "./service.js";
import { openSession } from "./session.js";

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
  let readies = 0;
  const session = openSession({
    onSamples: listener.onSamples,
    onCut: listener.onError,
    onMessage(message) {
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
          session.close();
          listener.onError(new ServiceError(422, message.error.code, message.error.message));
          break;
        case "done":
          session.close();
          listener.onDone(message.duration_s);
          break;
      }
    },
  });
  session.send({ type: "config", timestamps: "phoneme", ssml: opensSsml(text), ...manner });
  session.send({ type: "text", text });
  session.send({ type: "end" });
  return { stop: session.close };
}
