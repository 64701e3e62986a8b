/** The request that the controls describe, as code. It names no key. */

/** @typedef {{text: string, voice: string, speed: number, language: string | null, format: string}} Wish */

/** @param {string} text as one word of a shell */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** @param {Wish} wish @returns {object} body of `POST /synthesize` */
export function bodyOf({ text, voice, speed, language, format }) {
  return { text, voice, format, ...(speed !== 1 && { speed }), ...(language && { language }) };
}

/**
 * Names that a reader sees, and what writes the code: from a request, the address of the service
 * (without a slash at its end) and whether it wants a key.
 * @type {Record<string, (wish: Wish, base: string, keyed: boolean) => string>}
 */
export const CLIENTS = {
  curl: (wish, base, keyed) => [
    `curl -s ${base}/synthesize -H 'content-type: application/json'`,
    keyed && "-H \"Authorization: Bearer $KOKORO_KEY\"",
    `-d ${quoted(JSON.stringify(bodyOf(wish)))} -o speech.${wish.format}`,
  ].filter(Boolean).join(" \\\n  "),

  "Python, httpx": (wish, base, keyed) => `import json
${keyed ? "import os\n" : ""}
import httpx

body = json.loads(${JSON.stringify(JSON.stringify(bodyOf(wish)))})
${keyed ? 'headers = {"Authorization": f"Bearer {os.environ[\'KOKORO_KEY\']}"}\n' : ""}answer = httpx.post("${base}/synthesize", json=body, ${keyed ? "headers=headers, " : ""}timeout=60)
answer.raise_for_status()
with open("speech.${wish.format}", "wb") as file:
    file.write(answer.content)`,

  JavaScript: (wish, base, keyed) => `const answer = await fetch("${base}/synthesize", {
  method: "POST",
  headers: {"content-type": "application/json"${keyed ? ', authorization: `Bearer ${key}`' : ""}},
  body: JSON.stringify(${JSON.stringify(bodyOf(wish))}),
});
if (!answer.ok) throw new Error((await answer.json()).error.message);
const speech = await answer.blob();`,
};
