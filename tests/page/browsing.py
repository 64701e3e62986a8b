"""A tab with the page, and what goes wrong in it."""

from contextlib import contextmanager

LISTEN = """async (button) => {
  const main = document.querySelector('script[type=module]').src;
  const { player } = await import(new URL('player.js', main));
  const loudness = () => {
    const heard = new Float32Array(player.analyser.fftSize);
    player.analyser.getFloatTimeDomainData(heard);
    return Math.max(...heard.map(Math.abs));
  };
  const lit = [];
  const watcher = new MutationObserver(() => {
    const word = document.querySelector('.word.lit');
    const index = [...document.querySelectorAll('.word')].indexOf(word);
    if (word && lit.at(-1)?.index !== index) {
      lit.push({ index, text: word.textContent, position_s: player.position_s });
    }
  });
  watcher.observe(document.getElementById('transcript'),
    { subtree: true, attributes: true, attributeFilter: ['class'] });
  let loudest = 0;
  const positions = [];
  const stop = document.getElementById('stop');
  document.querySelector(button).click();
  while (!stop.disabled) {
    await new Promise(requestAnimationFrame);
    positions.push(player.position_s);
    if (player.analyser) loudest = Math.max(loudest, loudness());
  }
  const length_s = player.duration_s;
  const underruns = player.underruns;
  // The analyser still holds the end of the speech.
  while (loudness() > 0) await new Promise(requestAnimationFrame);
  const { transcript } = await import(main);
  const words = transcript.words.map(({ word }) => word);
  return { lit, loudest, positions, words, length_s, underruns };
}"""
"""Press a button that speaks, and tell what sounded, which words lit up when, and where the speech
was at each frame; it returns in silence."""

REPORT_VIOLATIONS = """document.addEventListener('securitypolicyviolation', (violation) => {
  console.error(`policy: ${violation.violatedDirective} ${violation.blockedURI}`);
});"""


class Tab:
    """The page in a tab.

    `complaints` are what its console has of errors and warnings, what the policy kept out, and
    requests to other hosts.
    """

    def __init__(self, page, server):
        self.page = page
        self.server = server
        self.complaints = []
        self.urls = []
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._note_url(request.url))
        page.on("websocket", lambda socket: self._note_url(socket.url))

    def _note_message(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note_url(self, url):
        self.urls.append(url)
        host = self.server.url.partition("//")[2]
        if not url.startswith((f"http://{host}/", f"ws://{host}/", f"blob:http://{host}/")):
            self.complaints.append(f"request to {url}")

    def forget_complaints(self, text):
        """Forget those with a text: Chromium writes of every answer that is an error."""
        self.complaints = [line for line in self.complaints if text not in line]

    def wait_until_ready(self):
        self.page.wait_for_selector("#speak:enabled")

    def text(self, identity):
        return str(self.page.inner_text(f"#{identity}"))

    def type(self, text):
        self.page.fill("#text", text)

    def listen(self, button="#speak"):
        return self.page.evaluate(LISTEN, button)

    def error(self):
        self.page.wait_for_selector("#error:not(:empty)")
        return self.text("error")


@contextmanager
def watch(browser, server, path="/", **options):
    """Open the page in a tab of its own; at its end nothing may have gone wrong."""
    with browser.new_context(**options) as context:
        context.add_init_script(REPORT_VIOLATIONS)
        tab = Tab(context.new_page(), server)
        tab.page.set_default_timeout(120_000)
        tab.page.goto(server.url + path)
        yield tab
    assert not tab.complaints
