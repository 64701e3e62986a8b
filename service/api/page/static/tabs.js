/** Tabs: a list of names, of which one shows its panel; arrow keys move between them. */

export class Tabs {
  /** @param {HTMLElement} list whose tabs name their panels by `aria-controls` */
  constructor(list) {
    this._tabs = /** @type {HTMLElement[]} */ ([...list.children]);
    for (const tab of this._tabs) tab.addEventListener("click", () => this.choose(tab));
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const at = this._tabs.findIndex((tab) => tab === document.activeElement);
      const next = this._tabs[(at + step + this._tabs.length) % this._tabs.length];
      this.choose(next);
      next.focus();
    });
  }

  /** @param {HTMLElement} chosen */
  choose(chosen) {
    for (const tab of this._tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !isChosen;
    }
  }
}
