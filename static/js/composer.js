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

text?.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (text.value.trim()) composer.requestSubmit();
});
composer?.addEventListener("htmx:before:request", () => { text.readOnly = true; });
composer?.addEventListener("htmx:finally:request", event => {
  text.readOnly = false;
  const { response } = event.detail.ctx;
  if (response?.status < 400) { text.value = ""; all("[data-follow]").forEach(scroller => { if (scroller._follow) scroller._follow.stick = true; }); }
  else if (!response || response.status >= 500) note(say("unsent"));
  text.focus();
});
