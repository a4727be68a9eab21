/* Requests: a button says what it does while it does it; what did not arrive is said beside the form. */
function labelOf(button) { return one("span", button) || button; }

on("htmx:before:request", event => {
  const { request, sourceElement } = event.detail.ctx, button = request.submitter;
  one(".form-failed", sourceElement)?.remove();
  if (!button?.dataset?.busy) return;
  const label = labelOf(button);
  button.dataset.busyNow = label.textContent;
  label.textContent = button.dataset.busy;
});
on("htmx:finally:request", event => {
  const button = event.detail.ctx.request?.submitter;
  if (button?.isConnected && button.dataset.busyNow) {
    labelOf(button).textContent = button.dataset.busyNow;
    delete button.dataset.busyNow;
    if (doc.activeElement === doc.body) queueMicrotask(() => button.focus());
  }
});
on("htmx:error", event => {
  const form = event.detail.ctx?.sourceElement;
  if (!form?.matches?.("form[method=post]") || form.id === "composer") return;
  const note = doc.createElement("p");
  note.className = "error form-failed";
  note.textContent = say("fail");
  form.append(note);
  announce(say("fail"), true);
});
