/** The API key: kept for this tab, and never a part of a URL. */

const NAME = "kokoro-key";

/** @returns {string | null} */
export const storedKey = () => sessionStorage.getItem(NAME);

/** @param {string} key */
export const storeKey = (key) => sessionStorage.setItem(NAME, key);

export const forgetKey = () => sessionStorage.removeItem(NAME);

/**
 * Return the subprotocols that open a WebSocket. A subprotocol has fewer characters than a key may
 * have, so the others are percent-encoded.
 * @returns {string[]}
 */
export function subprotocols() {
  const key = storedKey();
  if (key === null) return ["kokoro.v1"];
  const escaped = encodeURIComponent(key).replace(
    /[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return ["kokoro.v1", `bearer.${escaped}`];
}
