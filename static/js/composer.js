/* Composer: Enter sends, what did not arrive stays in the field. */
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
  if (response?.status < 400 && !told) { text.value = ""; all("[data-follow]").forEach(scroller => { if (scroller._follow) scroller._follow.stick = true; }); }
  else if (!told && response?.status !== 422) note(say("unsent")); // 422 brings words of its own
  text.focus();
});
