/* Requests: a button says what it does while it does it; what did not arrive is said beside the form. */
function labelOf(button) { return one("span", button) || button; }

on("htmx:before:request", event => {
  const { request, sourceElement } = event.detail.ctx, button = request.submitter;
  untell(sourceElement);
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

/* What is said in a form stays until it is sent again, also where the stream draws the form anew; not where it makes it
   another's, as that of the next run. */
const sendsTo = form => form.getAttribute("action");
function tell(form, line) { untell(form); line._of = sendsTo(form); form._told = line; placeOf(form).append(line); }
const placeOf = form => one("[data-told]", form) || form;
function untell(form) { delete form._told; one(".form-failed", form)?.remove(); }
on("htmx:after:swap", () => all("form").forEach(form => {
  const line = form._told;
  if (line && line._of !== sendsTo(form)) untell(form);
  if (form._told && !line.isConnected) placeOf(form).append(line);
}));

/* What failed is said beside what was pressed; what was there stays. */
function failed(ctx, message) {
  const { sourceElement } = ctx;
  ctx.told = true;
  if (sourceElement.id === "composer") { note(message); return; }
  const line = doc.createElement("p");
  line.className = "error form-failed";
  line.textContent = message;
  if (sourceElement.matches("form")) tell(sourceElement, line); else sourceElement.replaceChildren(line);
  announce(message, true);
}

on("htmx:error", event => {
  const { ctx } = event.detail;
  if (ctx && !ctx.sourceElement.matches("[data-live]")) failed(ctx, say(ctx.sourceElement.id === "composer" ? "unsent" : "fail"));
});

/* An error page never lands in the middle of another page: only its words do. */
on("htmx:before:swap", event => {
  const { ctx } = event.detail;
  if (!(ctx.response?.status >= 400) || ctx.sourceElement.matches("[data-live]") || !/^\s*<!doctype/i.test(ctx.text)) return;
  event.preventDefault();
  const page = new DOMParser().parseFromString(ctx.text, "text/html");
  failed(ctx, one("[data-problem]", page)?.textContent.trim() || say("fail"));
});
