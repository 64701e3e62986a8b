// OpenAI's SDK for Node.js against a server: node - URL KEY, which prints JSON.

import OpenAI from "openai";

const [url, key] = process.argv.slice(2);
const text = "One moment, please. The kettle is on, and the tea will be ready in a minute.";
const speech = { model: "gpt-4o-mini-tts", voice: "nova", input: text };
const client = new OpenAI({ baseURL: url, apiKey: key, maxRetries: 0 });

const hex = (bytes) => Buffer.from(bytes).toString("hex");

async function refusal(asked, fields) {
  try {
    await asked.audio.speech.create({ ...speech, ...fields });
  } catch (error) {
    return [error.constructor.name, error.status, error.code];
  }
  throw new Error("it spoke");
}

const models = [];
for await (const model of client.models.list()) models.push(model.id);

const mp3 = await (await client.audio.speech.create(speech)).arrayBuffer();

const parts = [];
const response = await client.audio.speech.create({ ...speech, response_format: "pcm" });
for await (const part of response.body) parts.push(part);

const stranger = new OpenAI({ baseURL: url, apiKey: "sk-somebody-elses-0123456789", maxRetries: 0 });
const errors = [await refusal(client, { voice: "af_hart" }), await refusal(stranger, {})];

const found = { models, mp3: hex(mp3), streamed: hex(Buffer.concat(parts)), n_parts: parts.length };
console.log(JSON.stringify({ ...found, errors }));
