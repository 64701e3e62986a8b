/** Every text of the page, and an example for each language. */

export const TEXTS = {
  keyLabel: "API key",
  keyHint: "This service asks for a key. The page keeps it until this tab is closed.",
  keyUse: "Use key",
  speakTitle: "Speak",
  language: "Language",
  example: "Example",
  textLabel: "Text to say",
  speak: "Speak",
  stop: "Stop",
  again: "Play again",
  transcript: "What was said; choose a word to play from there",
  waveform: "Waveform",
  spectrogram: "Spectrogram",
  firstSound: "Time to first sound",
  realTimeFactor: "Real-time factor",
  length: "Length",
  voiceTitle: "Voice",
  search: "Search voices",
  blend: "Blend",
  speed: "Speed",
  volume: "Volume",
  format: "Format",
  download: "Download",
  readingTitle: "What is said",
  readingHint: "How the text is read. Choose a word to change its phonemes.",
  read: "Show",
  normalized: "Normalized text",
  dropped: "Not said",
  phonemes: "Phonemes",
  hear: "Hear",
  intoText: "Put into the text",
  copyMarkup: "Copy as markup",
  copyLexicon: "Copy for the lexicon",
  developersTitle: "For developers",
  requestTitle: "Request",
  client: "Client",
  copy: "Copy",
  noSubtitles: "OpenAI's API has no subtitles. Choose an audio format, or another client.",
  conversationTitle: "Conversation",
  conversationHint: "Types into the WebSocket as a language model does, and shows the messages.",
  written: "What the language model writes",
  writtenExample: "Sure. I looked at the weather: it stays dry until 5 pm, about 18 °C. Shall I wake you at 7:30?",
  write: "Write",
  interrupt: "Interrupt",
  endSession: "End",
  tokenRate: "Tokens per second",
  messages: "Messages",
  sent: "sent",
  received: "received",
  statusTitle: "For operators",
  statusHint: "Read every 2 seconds while this is open; the charts have the last 5 minutes.",
  status: "Status",
  version: "Version",
  model: "Model",
  variant: "Variant",
  asPublished: "as published",
  provider: "Execution provider",
  onnxruntime: "ONNX Runtime",
  workers: "Workers",
  memory: "Memory",
  queue: "Waiting for the model",
  requests: "Requests per minute",
  firstAudio: "Time to first audio",
  listen: "Listen",
  female: "female",
  male: "male",
  otherVoices: "Other voices",
  backToPage: "Kokoro",
  apiLink: "API",
  noVoice: "No voice has this name.",
  noText: "Type a text first.",
  atMostFour: "A blend has up to four voices.",
  speaking: "Speaking.",
  ended: "Finished.",
  stopped: "Stopped.",
  copied: "Copied.",
  unreachable: "The service does not answer. Try again in a moment.",
  refused: "The service did not open the connection. Try again in a moment.",
  cut: "The connection ended before the speech was complete.",
  loading: "The model is loading.",
  bytesOfAudio: (/** @type {number} */ n) => `${n} bytes of audio`,
  firstToken: (/** @type {number} */ s) => `First sound ${s.toFixed(2)} s after the first token.`,
  workersOf: (/** @type {number} */ n, /** @type {number} */ threads) => `${n}, ${threads} threads each`,
  phonemesOf: (/** @type {string} */ word) => `Phonemes of “${word}”`,
  unavailable: (/** @type {string} */ name) => `${name} (not installed)`,
};

/** @type {Record<string, string>} */
export const EXAMPLES = {
  "en-us": "Dr. Smith paid $5.50 at 10:30, and the robot said: good morning!",
  "en-gb": "The train to King’s Cross leaves at quarter past nine on 3 May.",
  es: "Hola. El tren sale a las 5 y cuesta 12 euros.",
  "fr-fr": "Bonjour ! Le train part à 17 h 30 et coûte 25 euros.",
  fr: "Bonjour ! Le train part à 17 h 30 et coûte 25 euros.",
  hi: "नमस्ते। आज का दिन बहुत अच्छा है।",
  it: "Buongiorno! Il treno parte alle 10 e costa 8 euro.",
  ja: "こんにちは。今日はいい天気ですね。",
  "pt-br": "Bom dia! O trem sai às 8 horas e custa 15 reais.",
  zh: "你好！今天天气很好，我们去公园吧。",
  cmn: "你好！今天天气很好，我们去公园吧。",
};

/** A short line for the listen button of a voice. @type {Record<string, string>} */
export const GREETINGS = {
  "en-us": "Hello, this is my voice.",
  "en-gb": "Hello, this is my voice.",
  es: "Hola, esta es mi voz.",
  "fr-fr": "Bonjour, voici ma voix.",
  fr: "Bonjour, voici ma voix.",
  hi: "नमस्ते, यह मेरी आवाज़ है।",
  it: "Ciao, questa è la mia voce.",
  ja: "こんにちは、これが私の声です。",
  "pt-br": "Olá, esta é a minha voz.",
  zh: "你好，这是我的声音。",
  cmn: "你好，这是我的声音。",
};

/** Write the texts into the elements that name them. */
export function fillTexts() {
  const texts = /** @type {Record<string, any>} */ (TEXTS);
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = texts[/** @type {HTMLElement} */ (element).dataset.text ?? ""];
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", texts[/** @type {HTMLElement} */ (element).dataset.label ?? ""]);
  }
  for (const element of document.querySelectorAll("[data-placeholder]")) {
    element.setAttribute("placeholder", texts[/** @type {HTMLElement} */ (element).dataset.placeholder ?? ""]);
  }
}
