/* Conversations and logs follow their end while the reader is within reach of it. */
const reach = 64;

function follow(scroller) {
  if (scroller._follow) return;
  const toggle = scroller.parentElement.querySelector("[data-log-follow]");
  const jump = scroller.parentElement.querySelector("[data-jump]");
  const list = one("ol", scroller) || scroller;
  const state = scroller._follow = { stick: true, seen: list.children.length, top: 0 };
  const gap = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;

  // A reader who has just scrolled away is not taken back, though the browser has not told it yet.
  function end() {
    if (scroller.scrollTop < state.top - reach && gap() >= reach) { state.stick = false; return; }
    toEnd();
  }
  function toEnd() { scroller.scrollTop = scroller.scrollHeight; state.top = scroller.scrollTop; }

  function mark() {
    toggle?.setAttribute("aria-pressed", String(state.stick));
    if (state.stick) state.seen = list.children.length;
    if (!jump) return;
    const fresh = list.children.length - state.seen;
    jump.hidden = state.stick;
    const label = labelOf(jump);
    label.dataset.plain ??= label.textContent;
    label.textContent = fresh > 0 ? say("fresh", { n: fresh }) : label.dataset.plain;
  }

  function set(stick) { state.stick = stick; if (stick) toEnd(); mark(); }

  scroller.addEventListener("scroll", () => {
    state.stick = gap() < reach;
    if (state.stick) state.top = scroller.scrollTop;
    mark();
  }, { passive: true });
  // Evidence that a reader opens comes into view: at once, and when its receipts have come.
  let opened;
  const reveal = () => one(".evidence[open]#" + opened, scroller)?.scrollIntoView({ block: "nearest" });
  scroller.addEventListener("click", (e) => {
    opened = e.target.closest(".evidence > summary")?.parentElement.id;
    if (opened) requestAnimationFrame(reveal);
  });
  toggle?.addEventListener("click", () => set(!state.stick));
  jump?.addEventListener("click", () => set(true));
  new MutationObserver((all) => {
    if (opened && all.some((m) => m.target.closest?.("#" + opened))) opened = reveal(); else if (state.stick) end();
    mark();
  }).observe(scroller, { childList: true, subtree: true, characterData: true });
  new ResizeObserver(() => { if (state.stick) end(); }).observe(scroller);
  end();
}
