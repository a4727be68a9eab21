/* Composer: Enter sends, what did not arrive stays in the field, what is being written outlives a reload. */
const composer = one("#composer"), text = one("#composer-text");

function note(message) {
  const place = one("#composer-note");
  if (!place) return;
  const line = doc.createElement("span");
  line.className = "error";
  line.textContent = message;
  place.replaceChildren(line);
  announce(message, true);
}

/* The draft lies in the store of this tab alone. */
const draftName = `draft ${text?.dataset.keep}`;
function keepDraft() {
  if (!text?.dataset.keep) return;
  try { text.value ? sessionStorage.setItem(draftName, text.value) : sessionStorage.removeItem(draftName); } catch { /* private window */ }
}
if (text?.dataset.keep && !text.value) {
  try { text.value = sessionStorage.getItem(draftName) || ""; } catch { /* private window */ }
}
addEventListener("pagehide", keepDraft);
all("[data-dropped]").forEach(gone => { try { sessionStorage.removeItem(`draft ${gone.dataset.dropped}`); } catch { /* private window */ } });

/* The limit is told before it is met. Characters are counted as the hub counts them, without the blanks at the ends. What the
   line said before comes back. */
const limit = Number(text?.dataset.limit);
const excess = () => limit ? [...text.value.trim()].length - limit : 0;
let before = null;
function tellRoom() {
  const place = one("#composer-note"), over = excess(), near = limit && over > -limit / 10;
  if (!place || !near && !before) return;
  if (!near) { if (one("[data-room]", place)) place.replaceChildren(...before); before = null; return; }
  if (!one("[data-room]", place)) before = [...place.childNodes];
  const line = doc.createElement("span");
  line.dataset.room = over > 0 ? "over" : "near";
  line.className = over > 0 ? "error" : "muted";
  line.textContent = over > 0 ? say("tooLong", { n: over }) : say("room", { n: -over });
  if (over > 0 && !one("[data-room=over]", place)) announce(line.textContent, true);
  place.replaceChildren(line);
}
text?.addEventListener("input", () => { keepDraft(); if (before || text.value.length > limit * .8) tellRoom(); });
on("submit", event => {
  if (event.target !== composer || excess() <= 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  tellRoom();
}, true);

/* The line break that Enter would make is refused twice: browsers may deliver it apart from the key. */
let sending = false;

text?.addEventListener("keydown", event => {
  sending = event.key === "Enter" && !event.shiftKey && !event.isComposing;
  if (!sending) return;
  event.preventDefault();
  if (text.value.trim()) composer.requestSubmit();
});
text?.addEventListener("beforeinput", event => { if (sending && event.inputType === "insertLineBreak") event.preventDefault(); });
text?.addEventListener("keyup", () => { sending = false; });
composer?.addEventListener("htmx:before:request", () => { text.readOnly = true; });
composer?.addEventListener("htmx:finally:request", event => {
  text.readOnly = false;
  const { response, told } = event.detail.ctx;
  if (response?.status < 400 && !told) { text.value = ""; keepDraft(); all("[data-follow]").forEach(scroller => { if (scroller._follow) scroller._follow.stick = true; }); }
  else if (!told && response?.status !== 422) note(say("unsent")); // 422 brings words of its own
  text.focus();
});
