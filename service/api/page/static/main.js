/** The page: its controls, and what each does. */

import { Cast, samplesOf } from "./cast.js";
import { Conversation } from "./conversation.js";
import { Jobs } from "./jobs.js";
import { forgetKey, storeKey, storedKey } from "./key.js";
import { player } from "./player.js";
import { Reading } from "./reading.js";
import { CLIENTS, bodyOf } from "./request_code.js";
import { ServiceError, ask } from "./service.js";
import { drawSpectrogram, drawWaveform } from "./sound_picture.js";
import { say } from "./speech_socket.js";
import { Status } from "./status.js";
import { Tabs } from "./tabs.js";
import { EXAMPLES, GREETINGS, TEXTS, fillTexts } from "./texts.js";
import { Transcript } from "./transcript.js";
import { Voices } from "./voices.js";

const FORMATS = ["wav", "mp3", "flac", "opus", "pcm", "srt", "vtt"];

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
function get(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

const text = get("text", HTMLTextAreaElement);
const language = get("language", HTMLSelectElement);
const speed = get("speed", HTMLInputElement);
const volume = get("volume", HTMLInputElement);
const format = get("format", HTMLSelectElement);
const client = get("client", HTMLSelectElement);
const speakButton = get("speak", HTMLButtonElement);
const stopButton = get("stop", HTMLButtonElement);
const againButton = get("again", HTMLButtonElement);
const error = get("error", HTMLElement);
const said = get("said", HTMLElement);
const keyForm = get("key-form", HTMLFormElement);

/** @type {{stop: () => void} | null} */
let speech = null;
let wantsKey = storedKey() !== null;

export const transcript = new Transcript(get("transcript", HTMLElement), (position_s) => replay(position_s));

const voices = new Voices({
  list: get("voices", HTMLElement),
  search: get("search", HTMLInputElement),
  blend: get("blend", HTMLElement),
  parts: get("parts", HTMLElement),
}, {
  onChange: () => { followVoice(); showRequest(); },
  onListen: ({ name, language: code }) => speak(GREETINGS[code ?? ""] ?? GREETINGS["en-us"], {
    voice: name, speed: Number(speed.value) }),
  onRefuse: (message) => { said.textContent = message; },
});

const reading = new Reading({
  onHear: (phonemes) => hear(phonemes),
  onText: (marked) => { text.value = marked; showRequest(); void read(); },
  onCopied: () => { said.textContent = TEXTS.copied; },
  onError: show,
});

export const conversation = new Conversation({
  onWrite: () => { stop(); clearError(); },
  manner,
  onError: show,
});

const cast = new Cast(get("play", HTMLTextAreaElement), get("cast", HTMLElement));

const jobs = new Jobs({
  manner: () => { clearError(); return manner(); },
  onError: show,
  onSaid: (message) => { said.textContent = message; },
});

/**
 * Show what went wrong in its own words, and mark the field that it is about.
 * @param {unknown} problem
 * @param {HTMLElement} [field] unless the message names another
 */
function show(problem, field) {
  const isOurs = problem instanceof ServiceError;
  if (!isOurs) console.error(problem);
  error.textContent = problem instanceof Error ? problem.message : String(problem);
  if (!isOurs) return;
  if (problem.status === 401) askForKey();
  field?.setAttribute("aria-invalid", "true");
  if (problem.code.includes("text")) text.setAttribute("aria-invalid", "true");
  const named = document.getElementById(problem.message.split(/[:\s]/)[0]);
  named?.setAttribute("aria-invalid", "true");
}

function clearError() {
  error.textContent = "";
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

function askForKey() {
  forgetKey();
  wantsKey = true;
  keyForm.hidden = false;
  get("key", HTMLInputElement).focus();
}

/** What the controls say. */
function wish() {
  return {
    text: text.value, voice: voices.expression, speed: Number(speed.value),
    language: language.value === voices.language ? null : language.value, format: format.value,
  };
}

function manner() {
  const { voice, speed: rate, language: code } = wish();
  return { voice, speed: rate, ...(code && { language: code }) };
}

/** @param {string} words @param {object} how fields of `config` */
function speak(words, how) {
  stop();
  conversation.interrupt();
  clearError();
  if (!words.trim()) {
    show(new ServiceError(0, "no_text", TEXTS.noText));
    return;
  }
  const start = performance.now();
  let first = true;
  player.begin(24000);
  transcript.begin(words);
  setSpeaking(true);
  said.textContent = TEXTS.speaking;
  for (const id of ["first-sound", "real-time-factor", "length"]) get(id, HTMLElement).textContent = "–";
  speech = say(words, how, {
    onReady: (rate) => { if (player.context?.sampleRate !== rate) player.begin(rate); },
    onWords: (found) => transcript.add(found),
    onSkipped: (from, to) => transcript.skip(from, to),
    onSamples: (samples) => {
      if (first) get("first-sound", HTMLElement).textContent = `${Math.round(performance.now() - start)} ms`;
      first = false;
      player.add(samples);
    },
    onError: (problem) => {
      stop();
      show(problem);
    },
    onDone: (duration_s) => {
      speech = null;
      const factor = (performance.now() - start) / 1000 / duration_s;
      get("real-time-factor", HTMLElement).textContent = Number.isFinite(factor) ? factor.toFixed(2) : "–";
      get("length", HTMLElement).textContent = `${duration_s.toFixed(2)} s`;
      draw();
      transcript.complete();
      player.complete();
    },
  });
}

function stop() {
  if (speech || player.isPlaying) said.textContent = TEXTS.stopped;
  speech?.stop();
  speech = null;
  player.silence();
  setSpeaking(false);
}

/** @param {number} position_s */
function replay(position_s) {
  player.playFrom(position_s);
  setSpeaking(true);
}

/** @param {boolean} speaking */
function setSpeaking(speaking) {
  stopButton.disabled = !speaking;
  againButton.disabled = speaking || !player.duration_s;
  if (speaking) requestAnimationFrame(followSound);
  else transcript.light(-1);
}

function followSound() {
  if (stopButton.disabled) return;
  transcript.light(player.position_s);
  requestAnimationFrame(followSound);
}

player.onEnd = () => {
  if (stopButton.disabled) return;
  said.textContent = TEXTS.ended;
  setSpeaking(false);
};

function draw() {
  const samples = player.samples();
  const waveform = get("waveform", HTMLCanvasElement);
  const spectrogram = get("spectrogram", HTMLCanvasElement);
  waveform.hidden = spectrogram.hidden = !samples.length;
  if (!samples.length) return;
  drawWaveform(waveform, samples);
  drawSpectrogram(spectrogram, samples);
}

async function read() {
  clearError();
  const { text: words, voice, language: code } = wish();
  try {
    const answer = await ask("phonemize", { text: words, voice, ...(code && { language: code }) });
    reading.show(words, await answer.json());
  } catch (problem) {
    show(problem);
  }
}

/** @param {string} phonemes */
async function hear(phonemes) {
  stop();
  clearError();
  player.begin(24000);
  const { voice, speed: rate } = wish();
  try {
    const answer = await ask("synthesize", { phonemes, voice, speed: rate, format: "pcm" });
    const samples = new Int16Array(await answer.arrayBuffer());
    transcript.begin("");
    player.add(samples);
    setSpeaking(true);
    player.complete();
    get("length", HTMLElement).textContent = `${player.duration_s.toFixed(2)} s`;
    draw();
  } catch (problem) {
    show(problem, get("word-phonemes", HTMLInputElement));
  }
}

/** Say the dialogue; Stop cancels it. */
async function converse() {
  stop();
  conversation.interrupt();
  clearError();
  const cancellation = new AbortController();
  player.begin(24000);
  transcript.begin("");
  setSpeaking(true);
  said.textContent = TEXTS.speaking;
  speech = { stop: () => cancellation.abort() };
  try {
    const body = { turns: cast.turns, speed: Number(speed.value), format: "pcm", stream: true };
    const answer = await ask("dialogue", body, cancellation.signal);
    for await (const samples of samplesOf(answer)) player.add(samples);
    speech = null;
    get("length", HTMLElement).textContent = `${player.duration_s.toFixed(2)} s`;
    draw();
    player.complete();
  } catch (problem) {
    if (cancellation.signal.aborted) return;
    stop();
    show(problem, get("play", HTMLTextAreaElement));
  }
}

/** @param {string} path @param {object} body */
async function download(path, body) {
  clearError();
  try {
    const answer = await ask(path, body);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await answer.blob());
    link.download = `speech.${format.value}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (problem) {
    show(problem);
  }
}

function followVoice() {
  if (voices.language) language.value = voices.language;
}

function showRequest() {
  if (!voices.chosen.size) return;
  const base = new URL(".", document.baseURI).href.replace(/\/$/, "");
  get("request", HTMLElement).textContent = CLIENTS[client.value](wish(), base, wantsKey);
}

/** Ask what there is. Try again while the service loads its model or does not answer. */
async function open() {
  try {
    const [ready, known, spoken] = await Promise.all(
      ["ready", "voices", "languages"].map(async (path) => (await ask(path)).json()));
    // It needs a key where there are any, which the others may not.
    await ask("metrics");
    clearError();
    keyForm.hidden = true;
    const { model } = ready;
    get("machine", HTMLElement).textContent
      = `${ready.version} · ${model.prepared ?? model.name}${model.kernels ? ` ${model.kernels}` : ""} · ${ready.provider}`;
    /** @type {{code: string, name: string, available: boolean}[]} */
    const languages = spoken.languages;
    language.replaceChildren(...languages.map(({ code, name, available }) => {
      const option = new Option(available ? name : TEXTS.unavailable(name), code);
      option.disabled = !available;
      return option;
    }));
    const names = new Map(languages.map(({ code, name }) => [code, name]));
    if (!voices.all.length) voices.fill(known.voices, known.default, (code) => names.get(code) ?? code);
    cast.fill(known.voices, known.default);
    followVoice();
    if (!text.value) text.value = EXAMPLES[language.value] ?? "";
    showRequest();
    if (ready.jobs) void jobs.open();
    speakButton.disabled = false;
    performance.mark("interactive");
  } catch (problem) {
    show(problem);
    if (problem instanceof ServiceError && [0, 502, 503, 504].includes(problem.status)) {
      setTimeout(open, 1000);
    }
  }
}

fillTexts();
new Status(get("status", HTMLDetailsElement), get("facts", HTMLElement), get("charts", HTMLElement));
new Tabs(get("tabs", HTMLElement));
get("written", HTMLTextAreaElement).value = TEXTS.writtenExample;
get("play", HTMLTextAreaElement).value = TEXTS.playExample;
speakButton.disabled = true;
format.append(...FORMATS.map((name) => new Option(name)));
client.append(...Object.keys(CLIENTS).map((name) => new Option(name)));

speakButton.addEventListener("click", () => speak(text.value, manner()));
stopButton.addEventListener("click", stop);
againButton.addEventListener("click", () => { replay(0); });
get("download", HTMLButtonElement).addEventListener("click", () => download("synthesize", bodyOf(wish())));
get("converse", HTMLButtonElement).addEventListener("click", converse);
get("download-dialogue", HTMLButtonElement).addEventListener("click", () => (
  download("dialogue", { turns: cast.turns, speed: Number(speed.value), format: format.value })));
get("read", HTMLButtonElement).addEventListener("click", read);
get("example", HTMLButtonElement).addEventListener("click", () => {
  text.value = EXAMPLES[language.value] ?? "";
  showRequest();
});
language.addEventListener("change", () => { voices.follow(language.value); showRequest(); });
speed.addEventListener("input", () => {
  get("speed-value", HTMLElement).textContent = `${Number(speed.value)}×`;
  showRequest();
});
volume.addEventListener("input", () => {
  get("volume-value", HTMLElement).textContent = `${Math.round(100 * Number(volume.value))} %`;
  for (const each of [player, conversation.player]) each.setVolume(Number(volume.value));
});
for (const control of [text, format, client]) control.addEventListener("input", showRequest);
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) speakButton.click();
});
get("copy-request", HTMLButtonElement).addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(get("request", HTMLElement).textContent ?? "");
    said.textContent = TEXTS.copied;
  } catch (problem) {
    show(problem);
  }
});
keyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  storeKey(get("key", HTMLInputElement).value);
  get("key", HTMLInputElement).value = "";
  void open();
});
void open();
