/** The page that shows the OpenAPI document, and sends the requests that it describes. */

import { forgetKey, storeKey, storedKey } from "./key.js";
import { ServiceError, ask } from "./service.js";
import { TEXTS, fillTexts } from "./texts.js";

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = /** @type {HTMLInputElement} */ (get("key"));

/** Addresses of the speech in answers. @type {WeakMap<Blob, string>} */
const sounds = new WeakMap();

/** @param {Blob} blob */
function addressOf(blob) {
  const address = sounds.get(blob) ?? URL.createObjectURL(blob);
  sounds.set(blob, address);
  return address;
}

/** Play the speech of an answer; Swagger UI itself would ask for its address again, with GET. */
const speechPlugin = () => ({
  wrapComponents: {
    /** @param {any} original @param {{React: any}} system */
    responseBody: (original, { React }) => (/** @type {any} */ props) => {
      const { content, contentType } = props;
      if (!(content instanceof Blob) || !contentType?.startsWith("audio/")) {
        return React.createElement(original, props);
      }
      const src = addressOf(content);
      return React.createElement("p", null,
        React.createElement("audio", { controls: true, src }), " ",
        React.createElement("a", { href: src, download: "speech" }, TEXTS.download));
    },
  },
});

async function open() {
  get("error").textContent = "";
  try {
    const document_ = await (await ask("openapi.json")).json();
    get("key-form").hidden = true;
    show(document_);
  } catch (problem) {
    if (!(problem instanceof ServiceError)) throw problem;
    get("error").textContent = problem.message;
    if (problem.status !== 401) return;
    forgetKey();
    get("key-form").hidden = false;
    field.focus();
  }
}

/** @param {object} document_ */
function show(document_) {
  const { SwaggerUIBundle } = /** @type {any} */ (window);
  SwaggerUIBundle({
    domNode: get("docs"),
    plugins: [speechPlugin],
    spec: { ...document_, servers: [{ url: new URL(".", document.baseURI).href.replace(/\/$/, "") }] },
    validatorUrl: null, // it would send the document to another host
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    showMutatedRequest: false, // the command for curl would have the key in it
    /** @param {{headers: Record<string, string>}} request */
    requestInterceptor: (request) => {
      const key = storedKey();
      const isNamed = request.headers["Authorization"] ?? request.headers["X-API-Key"];
      if (key !== null && !isNamed) request.headers["Authorization"] = `Bearer ${key}`;
      return request;
    },
  });
}

get("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  storeKey(field.value);
  field.value = "";
  void open();
});
const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();
fillTexts();
void open();
