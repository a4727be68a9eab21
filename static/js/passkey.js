/* Passkeys for signing in: made and asked for here, checked by the hub. Those for approving are others: keyring.js. */
const passkeys = window.PublicKeyCredential && isSecureContext;
if (passkeys) all("form[data-passkey]").forEach(form => { form.hidden = false; });
const withBytes = list => list?.map(one => ({ ...one, id: bytesOf(one.id) }));

async function begun(form) {
  const body = new URLSearchParams({ csrf: one("input[name=csrf]", form)?.value || "" });
  const answer = await fetch(form.dataset.begin, { method: "POST", body, headers: { Accept: "application/json" } });
  if (answer.redirected) { location.assign(answer.url); return null; } // to the sign-in, and back
  if (answer.ok) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(one("[data-problem]", page)?.textContent.trim() || say("fail"));
}

async function answerOf(kind, options) {
  const publicKey = { ...options, challenge: bytesOf(options.challenge), excludeCredentials: withBytes(options.excludeCredentials), allowCredentials: withBytes(options.allowCredentials) };
  if (kind === "create") publicKey.user = { ...options.user, id: bytesOf(options.user.id) };
  const made = await navigator.credentials[kind]({ publicKey }), response = { clientDataJSON: base64url(made.response.clientDataJSON) };
  for (const part of ["attestationObject", "authenticatorData", "signature", "userHandle"]) if (made.response[part]) response[part] = base64url(made.response[part]);
  return JSON.stringify({ id: made.id, rawId: base64url(made.rawId), type: made.type, response });
}

on("submit", async event => {
  const form = event.target, button = event.submitter, kind = form.dataset.passkey;
  if (!kind || form._answered) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (button.disabled) return;
  untell(form);
  button.disabled = true;
  try {
    const asked = await begun(form);
    if (!asked) return;
    one("[name=answer]", form).value = await answerOf(kind, asked.options);
    one("[name=challenge]", form).value = asked.challenge;
    form._answered = true;
    button.disabled = false;
    form.requestSubmit(button);
  } catch (error) {
    button.disabled = false;
    const line = doc.createElement("p");
    line.className = "error form-failed";
    line.textContent = error.name === "InvalidStateError" ? say("passkeyKnown") : error.name === "NotAllowedError" ? say("passkeyNone") : error.message;
    tell(form, line);
    announce(line.textContent, true);
    button.focus();
  }
}, true);
