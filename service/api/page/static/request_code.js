/** The request that the controls describe, as code. It names no key. */

import { TEXTS } from "./texts.js";

/** @typedef {{text: string, voice: string, speed: number, language: string | null, format: string}} Wish */

/** @param {string} text as one word of a shell */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Whether a text opens as an SSML document does. @param {string} text */
export const opensSsml = (text) => /^[\s\uFEFF]*<(\?xml\s|(\w+:)?speak[\s>/])/.test(text);

/** @param {Wish} wish @returns {object} body of `POST /synthesize` */
export function bodyOf({ text, voice, speed, language, format }) {
  return {
    text, voice, format, ...(speed !== 1 && { speed }), ...(language && { language }),
    ...(opensSsml(text) && { ssml: true }),
  };
}

/** Formats of `POST /synthesize` that OpenAI's endpoint does not have. */
const SUBTITLES = ["srt", "vtt"];

/**
 * Names that a reader sees, and what writes the code: from a request, the address of the service
 * (without a slash at its end) and whether it wants a key.
 * @type {Record<string, (wish: Wish, base: string, keyed: boolean) => string>}
 */
export const CLIENTS = {
  curl: (wish, base, keyed) => [
    `curl -fsS ${base}/synthesize -H 'content-type: application/json'`,
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

  "Python, openai": ({ text, voice, speed, language, format }, base, keyed) => (
    SUBTITLES.includes(format) ? `# ${TEXTS.noSubtitles}` : `${keyed ? "import os\n\n" : ""}from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key=${keyed ? 'os.environ["KOKORO_KEY"]' : '"none"'})
speech = client.audio.speech.create(
    model="kokoro",
    voice=${JSON.stringify(voice)},
    input=${JSON.stringify(text)},
    response_format="${format}",
${speed === 1 ? "" : `    speed=${speed},\n`}${language ? `    extra_body={"lang_code": "${language}"},\n` : ""})
speech.write_to_file("speech.${format}")`),

  JavaScript: (wish, base, keyed) => `const answer = await fetch("${base}/synthesize", {
  method: "POST",
  headers: {"content-type": "application/json"${keyed ? ', authorization: `Bearer ${key}`' : ""}},
  body: JSON.stringify(${JSON.stringify(bodyOf(wish))}),
});
if (!answer.ok) throw new Error((await answer.json()).error.message);
const speech = await answer.blob();`,
};
