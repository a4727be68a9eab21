/* Secrets on pages: values leave sealed, come sealed, and stay on the screen for a moment only. */
const secondsShown = 30;

async function post(path, fields, form) {
  const body = new URLSearchParams({ csrf: one("input[name=csrf]", form)?.value || "", ...fields });
  const answer = await fetch(path, { method: "POST", body, headers: { Accept: "application/json" } });
  if (answer.ok) return answer.json();
  const text = await answer.text();
  throw new Error(one("[data-problem]", new DOMParser().parseFromString(text, "text/html"))?.textContent.trim() || say("fail"));
}

/* The key of a server is remembered: when it changes without a new server, or another server than the one so far is to get
   something, that is worth stopping for. What is compared and shown is the hash of the very key that is sealed to; what the
   answer says of it counts for nothing. Who follows a link to give something once has nothing to compare with. */
const serverKeys = "server-key:";
const knowsServers = () => { try { return Object.keys(localStorage).some(name => name.startsWith(serverKeys)); } catch { return false; } };

async function checkKey(key, server, form) {
  const hash = await sha256(key), id = base64url(hash), place = serverKeys + server, known = remembered(place);
  if (known && known !== id) throw new Error(say("keyChanged"));
  const another = !known && !form.dataset.link && knowsServers();
  remember(place, id);
  const line = one("[data-fingerprint]", form);
  if (line) { line.textContent = say("sealedFor", { key: hex(hash.slice(0, 16)).match(/.{4}/g).join(" ") }); line.hidden = false; }
  if (another) throw new Error(say("serverNew"));
}

async function opened(form, method, name) {
  const opening = await post(form.dataset.open, { method, name }, form);
  const key = bytesOf(opening.key), server = form.dataset.server || opening.server_id;
  await checkKey(key, server, form);
  return { key, nonce: opening.nonce, purpose: { method, server, name, nonce: opening.nonce } };
}

const nameOf = form => form.dataset.secretName || namedIn(one("input[name=name]", form));

/* Giving a value: the field has no name, so only its box can be sent. */
async function give(form) {
  const field = one("[data-value]", form), opening = await opened(form, form.dataset.seal, nameOf(form));
  one("input[name=box]", form).value = await seal(opening.key, opening.purpose, utf8Of(field.value));
  one("input[name=nonce]", form).value = opening.nonce;
  if (!form.dataset.secretName) one("input[name=name]", form).value = opening.purpose.name;
  field.value = "";
}

/* A short value cannot be told from other text: redaction hides it only where its name stands beside it. */
on("input", event => {
  const field = event.target.closest("[data-value]"), warning = field && one("[data-short]", field.form);
  if (warning) warning.hidden = !field.value || utf8Of(field.value).length >= 8;
});

/* Seeing a value: sealed to a key that lives for this one question. */
async function fetched(form) {
  const name = nameOf(form), opening = await opened(form, "secrets.reveal", name);
  const own = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const ownBytes = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey)), reply_key = base64url(ownBytes);
  const signature = await signChange(form.dataset.server, "secret.reveal", { name, nonce: opening.nonce, reply_key }, form.dataset.config);
  const password = one("input[name=password]", form);
  const got = await post(form.action, { nonce: opening.nonce, reply_key, signature: JSON.stringify(signature), password: password.value }, form);
  password.value = "";
  return unseal(own.privateKey, ownBytes, opening.purpose, got.box);
}

function show(form, value) {
  const place = one("[data-shown]", form), left = one("[data-left]", place), plain = one("[data-plain]", place);
  const clear = () => { clearInterval(place._clock); plain.textContent = ""; place.hidden = true; };
  clearInterval(place._clock);
  plain.textContent = new TextDecoder().decode(value);
  place.hidden = false;
  const until = Date.now() + secondsShown * 1000;
  const tick = () => { const n = Math.ceil((until - Date.now()) / 1000); left.textContent = say("hidesIn", { n }); if (n <= 0) clear(); };
  tick();
  place._clock = setInterval(tick, 250);
  addEventListener("pagehide", clear, { once: true });
}

async function copySecret(value) {
  await navigator.clipboard.writeText(new TextDecoder().decode(value));
}

/* What was done is said beside the form, where there is nothing to look at. */
function told(form, words) {
  const line = one(".form-said", form) || form.appendChild(doc.createElement("p"));
  line.className = "muted form-said";
  line.textContent = words;
  announce(words);
}

/* Sharing once: the value is encrypted under the key of the link before it is kept anywhere. */
async function share(form, kind, name, value) {
  const raw = crypto.getRandomValues(new Uint8Array(32)), keys = await linkKeys(raw);
  let box = "";
  if (value) {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    box = base64url(joined(iv, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: utf8Of(name) }, keys.key, value))));
  }
  const link = await post("/app/credentials/share", { kind, name, take: keys.take, box }, form);
  const place = one("[data-shared]", form), address = `${location.origin}${link.path}#${base64url(raw)}`;
  one("[data-address]", place).textContent = address;
  one("[data-copy]", place).dataset.copy = address;
  place.hidden = false;
}

/* The other end of a link: nothing happens before a click, so that what only looks at addresses spoils none. */
async function take(form) {
  const raw = bytesOf(location.hash.slice(1)), keys = await linkKeys(raw), name = form.dataset.secretName;
  if (form.dataset.link === "give") {
    const opening = await opened(form, "secrets.provide", name), field = one("[data-value]", form);
    const box = await seal(opening.key, opening.purpose, utf8Of(field.value));
    await post(form.action, { take: keys.take, nonce: opening.nonce, box }, form);
    field.value = "";
    one("[data-done]", form).hidden = false;
    one("button[type=submit]", form).hidden = true;
    return;
  }
  const got = await post(form.action, { take: keys.take }, form), box = bytesOf(got.box);
  show(form, new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: box.slice(0, 12), additionalData: utf8Of(name) }, keys.key, box.slice(12))));
  one("button[type=submit]", form).hidden = true; // the link is used up
}

const secretActs = {
  async show(form) { show(form, await fetched(form)); },
  async copy(form) { await copySecret(await fetched(form)); told(form, say("copied")); },
  async share(form) { await share(form, "view", nameOf(form), await fetched(form)); },
};

/* The places of a binding, as the hub reads them from the same lines; what is signed is what both read. The hub says
   which line is none, so a line that cannot be read leaves the form unsigned. */
const originForm = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?\/?$/;

function placeOf([tool, ...rest]) {
  const place = { tool };
  if (rest[0]?.includes("://")) {
    const [whole, scheme, host, port] = originForm.exec(rest.shift().toLowerCase()) || [];
    if (!whole) return null;
    Object.assign(place, { scheme, host: host.replace(/[[\]]/g, ""), port: port ? Number(port) : scheme === "https" ? 443 : 80 });
  }
  if (rest.length !== 2 || rest[0] !== "header" && rest[0] !== "field") return null;
  return { ...place, [rest[0]]: rest[1] };
}

async function bind(form) {
  const lines = one("textarea[name=bindings]", form).value.split("\n").map(line => line.trim().split(/\s+/)).filter(words => words[0]);
  const bindings = lines.map(placeOf), body = { name: form.dataset.secretName, bindings };
  const base = one("input[name=base]", form).value; // what is replaced; a server that does not compare says none
  if (base) body.base_hash = base;
  one("input[name=signature]", form).value = bindings.includes(null) ? "" : JSON.stringify(await signChange(form.dataset.server, "secret.bind", body, form.dataset.config));
  form.submit();
}

async function handle(form, button) {
  if (form.dataset.seal) { await give(form); form.submit(); return; } // which sends what is named, and the value is not
  if (form.dataset.reveal !== undefined) return secretActs[button?.value || "show"](form);
  if (form.dataset.share) return share(form, form.dataset.share, namedIn(one("input[name=ask]", form)));
  if (form.dataset.link) return take(form);
  return bind(form);
}

on("submit", async event => {
  const form = event.target;
  if (!form.matches("[data-seal], [data-reveal], [data-share], [data-link], [data-bind]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  untell(form);
  const button = event.submitter, label = button && labelOf(button), was = label?.textContent;
  if (button) { button.disabled = true; if (button.dataset.busy) label.textContent = button.dataset.busy; }
  try { await handle(form, button); } catch (problem) {
    unsigned(form, problem.name === "OperationError" ? new Error(say("notForThis")) : problem);
  } finally { if (button) { button.disabled = false; label.textContent = was; } }
}, true);
/* For the script of the files: a signature, after letting this device approve where it may not yet. */
async function signHere(...change) {
  try { return await signChange(...change); } catch (error) { if (!(error instanceof NoKey) || !await letHere()) throw error; }
  return signChange(...change);
}
Object.assign(window.gatehouse, { boxKey, canonical, freshKey, hashOf, hex, nowText, opened, ring, seal, sha256, signHere, signWith, utf8Of });
