/** Requests to the service, and its errors in its own words. */

import { storedKey } from "./key.js";
import { TEXTS } from "./texts.js";

export class ServiceError extends Error {
  /**
   * @param {number} status of HTTP; 0 if there was no answer
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Send a request; throw a ServiceError unless the service does what it asks.
 * @param {string} path without the leading slash
 * @param {object | Blob} [body] a file, or what is sent as JSON
 * @param {AbortSignal} [signal]
 * @param {string} [method]
 * @returns {Promise<Response>}
 */
export async function ask(path, body, signal, method = body ? "POST" : "GET") {
  /** @type {Record<string, string>} */
  const headers = {};
  const key = storedKey();
  if (key !== null) headers["authorization"] = `Bearer ${key}`;
  const isFile = body instanceof Blob;
  if (body) headers["content-type"] = isFile ? body.type || "application/octet-stream" : "application/json";
  /** @type {Response} */
  let answer;
  try {
    answer = await fetch(new URL(path, document.baseURI), {
      method, headers, signal, body: body && !isFile ? JSON.stringify(body) : body,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServiceError(0, "unreachable", TEXTS.unreachable);
  }
  if (answer.ok) return answer;
  throw await errorOf(answer);
}

/** @param {Response} answer */
async function errorOf(answer) {
  try {
    const { error } = await answer.json();
    return new ServiceError(answer.status, error.code, error.message);
  } catch {
    // Something between the page and the service answered.
    return new ServiceError(answer.status, "unknown", `${answer.status} ${answer.statusText}`);
  }
}

/**
 * Tell why a WebSocket was refused, which browsers do not: ask for what needs the same.
 * @returns {Promise<ServiceError>}
 */
export async function whyRefused() {
  try {
    await ask("ready");
    await ask("metrics");
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return new ServiceError(503, "refused", TEXTS.refused);
}
