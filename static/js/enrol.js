/* Enrolment: a new key is proven with a code that the server printed. The code stays here; see agentd/approver. */
const codeLength = 12, recoveryLength = 24;
const plainCode = text => text.toUpperCase().replace(/0/g, "O").replace(/1/g, "I").replace(/[^A-Z2-7]/g, "");

/* A code of a wrong length is none: that is said before anything is sent, for the server counts each try. */
function codeOf(form) {
  const plain = plainCode(one("[data-code]", form).value);
  if (![codeLength, recoveryLength].includes(plain.length)) throw new Error(say("codeLength", { n: plain.length }));
  return plain;
}

async function codeKey(plain) {
  const input = await crypto.subtle.importKey("raw", utf8Of(plain), "PBKDF2", false, ["deriveKey"]);
  return crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt: utf8Of("gatehouse-approver-v1"), iterations: 600000 },
    input, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
}
const proof = async (key, text) => base64url(await crypto.subtle.sign("HMAC", key, utf8Of(text)));

async function freshKey(server) {
  const pair = await crypto.subtle.generateKey(p256, false, ["sign"]);
  const spki = await crypto.subtle.exportKey("spki", pair.publicKey);
  return { server, id: base64url(await sha256(spki)), kind: "browser", private: pair.privateKey, spki: base64url(spki), credential: "" };
}

/* A passkey of this device, or of one that it asks. */
async function freshPasskey(server, label) {
  const made = await navigator.credentials.create({ publicKey: {
    challenge: crypto.getRandomValues(new Uint8Array(32)), rp: { name: "Gatehouse" }, pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
    user: { id: crypto.getRandomValues(new Uint8Array(16)), name: label, displayName: label },
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  } });
  const spki = made.response.getPublicKey();
  return { server, id: base64url(await sha256(spki)), kind: "passkey", spki: base64url(spki), credential: base64url(made.rawId) };
}

async function send(form, fields) {
  const body = new URLSearchParams({ csrf: one("input[name=csrf]", form).value, ...fields });
  const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
  if (answer.ok) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error(one("[data-problem]", page)?.textContent.trim() || say("fail"));
}

async function enrol(form, kind) {
  if (form.dataset.asks === undefined) codeOf(form);
  const { server } = form.dataset, label = one("[name=label]", form).value.trim();
  const before = await keyFor(server);
  const made = { ...await (kind === "passkey" ? freshPasskey(server, label) : freshKey(server)), card: before?.card };
  await keepKey(server, made); // before it is sent: an answer that is lost must not lose the key
  try {
    const told = { spki: made.spki, kind: made.kind, label, credential: made.credential };
    await (form.dataset.asks === undefined ? prove(form, made, told) : send(form, told));
  } catch (error) {
    await (before ? keepKey(server, before) : dropKey(server));
    throw error;
  }
}

/* A code vouches for the key, and the server shows in return that it knows the code too, and says with which key it signs
   its cards. One that says nothing of that signs none. */
async function prove(form, made, told) {
  const { server } = made, code = codeOf(form), secret = await codeKey(code), recovery = code.length === recoveryLength ? "1" : "";
  const text = ["gatehouse-enrol-v1", server, await hashOf(made.spki), made.kind, "person", await hashOf(told.label), await hashOf(made.credential)].join("\n");
  const { confirm, card_key: card, card_proof: known } = await send(form, { ...told, proof: await proof(secret, text), recovery });
  if (confirm !== await proof(secret, ["gatehouse-enrolled-v1", server, made.id].join("\n")) || card && known !== await proof(secret, ["gatehouse-card-key-v1", server, made.id, card].join("\n"))) throw new Error(say("notConfirmed"));
  await keepKey(server, { ...made, card });
  keepCode("");
}

/* A link may bring the code, behind its #, which no browser sends. It waits in this tab until it is used. */
const codeName = "enrol code";
const keptCode = () => { try { return sessionStorage.getItem(codeName) || ""; } catch { return ""; } };
function keepCode(code) {
  try { code ? sessionStorage.setItem(codeName, code) : sessionStorage.removeItem(codeName); } catch { /* private window */ }
}
const brought = location.hash.match(/^#code=([\w-]{1,60})$/);
if (brought) {
  keepCode(brought[1]);
  history.replaceState(history.state, "", location.pathname + location.search);
}
const fillCodes = (from = doc) => all("[data-code]", from).forEach(field => { field.value ||= keptCode(); });
fillCodes();

/* letHere gets this device what it takes to approve, in a dialog on the page where that is needed; false: the person would
   rather not; undefined: the dialog could not be had. */
async function letHere() {
  const here = location.pathname + location.search;
  const answer = await fetch(`/app/settings/approvers/here?next=${encodeURIComponent(here)}`, { headers: { Accept: "text/html" } }).catch(() => null);
  const dialog = answer?.ok && one("#enrol-here", new DOMParser().parseFromString(await answer.text(), "text/html"));
  if (!dialog) return undefined;
  one("#enrol-here")?.remove();
  doc.body.append(dialog);
  fillCodes(dialog);
  if (keptCode()) all("[data-code-way]", dialog).forEach(way => { way.open = true; });
  openDialog(dialog.id);
  one("[data-code]", dialog)?.focus();
  return new Promise(done => {
    let approved = false;
    dialog.addEventListener("approved", () => { approved = true; dialog.close(); });
    dialog.addEventListener("close", () => { dialog.remove(); done(approved); });
  });
}

on("submit", async event => {
  const form = event.target, button = event.submitter;
  if (!form.matches("[data-enrol], [data-asks]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  untell(form);
  const label = labelOf(button), was = label.textContent;
  button.disabled = true;
  label.textContent = button.dataset.busy;
  try {
    await enrol(form, button.value);
    if (form.closest("#enrol-here")) form.dispatchEvent(new Event("approved", { bubbles: true }));
    else location.assign(form.dataset.next);
  } catch (error) {
    button.disabled = false;
    label.textContent = was;
    unsigned(form, error);
    button.focus();
  }
}, true);

/* The lists say which key is the one of this browser. While that one waits, this page looks for its answer, a quarter of
   an hour long; once it counts, there is nothing to ask for. */
async function markOwnKey(list) {
  const own = await keyFor(list.dataset.ownKeys).catch(() => null), waits = list.dataset.waiting !== undefined;
  const item = own && all("[data-key]", list).find(li => li.dataset.key === own.id);
  if (!item) return;
  all("[data-own]", item).forEach(part => { part.hidden = false; });
  all("[data-others]", item).forEach(part => { part.hidden = true; });
  if (waits) setTimeout(() => answered(own, Date.now() + 15 * 60000), 2000);
  else one("form[data-asks]")?.closest("section").remove();
}

/* answered looks whether a waiting key still waits, and shows the page as it is now when it does not. */
async function answered(own, end) {
  const text = await fetch(location.href).then(answer => answer.text()).catch(() => null);
  const waiting = text === null || all("[data-waiting] [data-key]", new DOMParser().parseFromString(text, "text/html")).some(li => li.dataset.key === own.id);
  if (!waiting) location.reload();
  else if (Date.now() < end) setTimeout(() => answered(own, end), 2000);
}
all("[data-own-keys]").forEach(markOwnKey);
