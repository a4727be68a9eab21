/* Hooks, rules on events, and addresses to which results go. The secret is made here: of a bearer token only the hash leaves this page, and the key of a sender that signs leaves it
   sealed for the server (wire.HookChange). */
const { hashOf, seal } = window.gatehouse;
const freshSecret = () => `ghk_${base64url(crypto.getRandomValues(new Uint8Array(32)))}`;
const numbers = ["per_minute", "per_hour"];

/* What is typed is part of what is signed. */
async function written(form) {
  const act = JSON.parse(form.dataset.changeBody), field = one("[data-secret]", form);
  for (const name of ["name", "agent", "task", "proof", "event", "of_agent", "outcome", "schedule", "url", ...numbers]) {
    const part = form.elements.namedItem(name);
    if (part) act[name] = numbers.includes(name) ? Number(part.value) : part.value.trim();
  }
  if (act.name === "agent" && act.proof) act.agent = "";
  if (act.event && act.event !== "run_ended") act.outcome = ""; // they narrow nothing else
  if (act.event && act.event !== "schedule_failed") act.schedule = "";
  if (field) {
    field.readOnly = act.proof === "token"; // a sender that signs may bring a key of its own
    if (!field.value || field.readOnly && !field.value.startsWith("ghk_")) field.value = freshSecret();
    one("[data-copy]", field.parentElement).dataset.copy = field.value.trim();
    act.secret_hash = await hashOf(field.value.trim());
  }
  const place = one("[data-address]", form);
  if (place) place.textContent = place.dataset.address + (act.name || "…");
  form.dataset.changeBody = one("input[name=act]", form).value = JSON.stringify(act);
  return act;
}
const hookForm = form => form?.dataset?.hook !== undefined;
for (const type of ["input", "change"]) on(type, event => { if (hookForm(event.target.form)) written(event.target.form); });
all("form[data-hook]").forEach(written);

/* Before the signature, which is made once the form comes here a second time. */
addEventListener("submit", async event => {
  const form = event.target, button = event.submitter;
  if (!hookForm(form) || form._signed) return;
  if (form._sealed) { delete form._sealed; return; }
  event.preventDefault();
  event.stopImmediatePropagation();
  await busily(form, button, async () => {
    const act = await written(form), field = one("[data-secret]", form);
    if (field && act.proof !== "token") {
      const method = form.dataset.seals ?? "hook.change";
      const opening = await opened(form, method, method === "hook.change" ? `hook.${act.name}` : `schedule.${act.schedule}`);
      one("input[name=box]", form).value = await seal(opening.key, opening.purpose, utf8Of(field.value.trim()));
      one("input[name=nonce]", form).value = opening.nonce;
    }
    form._sealed = true;
  });
  if (!form._sealed) return;
  await wait(0); // no form is sent while its event is still under way, and all before may have been fast
  form.requestSubmit(button);
}, true);
