/** A session of the WebSocket: messages and samples, as they come. */

import { subprotocols } from "./key.js";
import { ServiceError, whyRefused } from "./service.js";
import { TEXTS } from "./texts.js";

/**
 * @typedef {{type: string, [field: string]: any}} Message
 * @typedef {{onMessage: (message: Message) => void,
 *   onSamples: (samples: Int16Array) => void,
 *   onCut: (error: ServiceError) => void}} SessionListener
 * @typedef {{send: (message: Message) => void, close: () => void}} Session
 */

/**
 * Open a session.
 * @param {SessionListener} listener `onCut` is called if it ends before it is closed here
 * @returns {Session} closing it cancels on the server; nothing is heard of it afterwards
 */
export function openSession(listener) {
  const address = new URL("synthesize/stream", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address, subprotocols());
  socket.binaryType = "arraybuffer";
  let opened = false;
  let over = false;
  /** @type {Message[]} sent before it was open */
  const waiting = [];

  /** @param {Message} message */
  const send = (message) => {
    if (socket.readyState === WebSocket.CONNECTING) waiting.push(message);
    else socket.send(JSON.stringify(message));
  };

  socket.onopen = () => {
    opened = true;
    for (const message of waiting) send(message);
  };
  socket.onmessage = ({ data }) => {
    if (over) return;
    if (typeof data === "string") listener.onMessage(JSON.parse(data));
    else listener.onSamples(new Int16Array(data));
  };
  socket.onclose = async () => {
    if (over) return;
    over = true;
    listener.onCut(opened ? new ServiceError(0, "cut", TEXTS.cut) : await whyRefused());
  };

  return {
    send,
    close() {
      over = true;
      socket.close(1000);
    },
  };
}
