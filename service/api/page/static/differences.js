/** The differences of two texts, word by word: their longest common subsequence. */

/** @typedef {{kind: "same" | "del" | "ins", text: string}} Piece */

const MOST_CELLS = 4_000_000;

/**
 * @param {string} before
 * @param {string} after
 * @returns {Piece[]}
 */
export function differences(before, after) {
  const a = before.match(/\S+\s*/gu) ?? [];
  const b = after.match(/\S+\s*/gu) ?? [];
  // A table of this size would freeze the page; what is said is shown without marks.
  if (a.length * b.length > MOST_CELLS) return [{ kind: "same", text: after }];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i].trim() === b[j].trim()
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  /** @type {Piece[]} */
  const pieces = [];
  /** @param {Piece["kind"]} kind @param {string} text */
  const add = (kind, text) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i].trim() === b[j].trim()) {
      add("same", b[j]);
      i += 1;
      j += 1;
    } else if (i < a.length
      && (j === b.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      add("del", a[i]);
      i += 1;
    } else {
      add("ins", b[j]);
      j += 1;
    }
  }
  return pieces;
}
