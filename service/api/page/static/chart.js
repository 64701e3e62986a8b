/** A small chart of a number over the last minutes. */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 48;

/** @param {string} name @param {Record<string, string | number>} attributes */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export class Chart {
  /**
   * @param {string} title
   * @param {(value: number) => string} write a value, with its unit
   * @param {number} span_s what the chart shows
   */
  constructor(title, write, span_s) {
    this._title = title;
    this._write = write;
    this._span_s = span_s;
    /** @type {{time_s: number, value: number}[]} */
    this._points = [];
    this.element = document.createElement("figure");
    this._caption = document.createElement("figcaption");
    this._value = document.createElement("strong");
    this._value.textContent = "–";
    this._caption.append(title, this._value);
    this._drawing = /** @type {SVGSVGElement} */ (shape("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": title,
    }));
    this.element.append(this._caption, this._drawing);
  }

  /**
   * Add a value, and draw.
   * @param {number} time_s
   * @param {number | null} value null if there is none for this time
   */
  add(time_s, value) {
    if (value !== null) this._points.push({ time_s, value });
    this._points = this._points.filter((point) => point.time_s > time_s - this._span_s);
    const last = this._points.at(-1);
    if (!last) {
      this._value.textContent = "–";
      this._drawing.replaceChildren();
      return;
    }
    const most = Math.max(...this._points.map((point) => point.value));
    const least = Math.min(...this._points.map((point) => point.value));
    this._value.textContent = this._write(last.value);
    this._drawing.setAttribute("aria-label",
      `${this._title}: ${this._write(last.value)}, ${this._write(least)} – ${this._write(most)}`);
    const places = this._points.map((point) => [
      WIDTH * (1 - (time_s - point.time_s) / this._span_s),
      HEIGHT - 2 - (HEIGHT - 6) * (most > 0 ? point.value / most : 0),
    ].map((place) => place.toFixed(1)).join(","));
    // A line of one point has no length, but round ends.
    this._drawing.replaceChildren(shape("polyline", { points: [places[0], ...places].join(" ") }));
  }
}
