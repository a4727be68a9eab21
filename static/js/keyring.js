/* The approver key of this browser: it never leaves it, and signs what gives leave or power. The texts that are signed
   are described at wire.DecisionText and wire.ChangeText. */
const p256 = { name: "ECDSA", namedCurve: "P-256" };
const utf8Of = text => new TextEncoder().encode(text);
const base64url = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const bytesOf = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
const sha256 = async data => new Uint8Array(await crypto.subtle.digest("SHA-256", data));
const hex = bytes => [...bytes].map(b => b.toString(16).padStart(2, "0")).join("");
const hashOf = async text => hex(await sha256(utf8Of(text)));

/* Canonical JSON (RFC 8785): sorted keys, no spaces. What could be read in two ways is refused. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value && typeof value === "object") return `{${Object.keys(value).sort().map(k => `${canonical(k)}:${canonical(value[k])}`).join(",")}}`;
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) throw new Error(say("bigNumber"));
  return JSON.stringify(value);
}

/* The ring: one key for each server, in this browser's own store. A key of staff lies beside that of the business: who is
   both in one browser loses neither. */
function ring(mode, act) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("gatehouse", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys", { keyPath: "server" });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const db = opening.result, work = db.transaction("keys", mode), asked = act(work.objectStore("keys"));
      work.oncomplete = () => { db.close(); resolve(asked.result); };
      work.onerror = work.onabort = () => { db.close(); reject(work.error); };
    };
  });
}
const slot = server => location.pathname.startsWith("/admin/") ? `staff ${server}` : server;
const keyFor = server => ring("readonly", keys => keys.get(slot(server)));
const keepKey = (server, key) => ring("readwrite", keys => keys.put({ ...key, server: slot(server) }));
const dropKey = server => ring("readwrite", keys => keys.delete(slot(server)));

class NoKey extends Error { get enrols() { return true; } }

/* sign gives the signature of this browser's key over a text that was made for a time. */
async function sign(server, time, text) {
  const key = await keyFor(server);
  if (!key) throw new NoKey(say("noKey"));
  return signWith(key, time, text);
}

async function signWith(key, time, text) {
  if (key.kind === "passkey") return assert(key, time, text);
  const sig = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.private, utf8Of(text));
  return { key_id: key.id, time, sig: base64url(sig) };
}

/* A passkey signs for a person who is there: the challenge is the digest of the text. */
async function assert(key, time, text) {
  const made = await navigator.credentials.get({ publicKey: {
    challenge: await sha256(utf8Of(text)), allowCredentials: [{ type: "public-key", id: bytesOf(key.credential) }], userVerification: "required",
  } });
  const { signature, authenticatorData, clientDataJSON } = made.response;
  return { key_id: key.id, time, sig: base64url(signature), auth_data: base64url(authenticatorData), client_data: base64url(clientDataJSON) };
}

const nowText = () => `${new Date().toISOString().slice(0, 19)}Z`;

/* What the card says of the call is the server's word (wire.CardText): signed with the key that this browser knows the
   server by since its own key was enrolled with a code, or else since the first card that was signed. From then on a card
   without that signature is none. What stands on the card is compared with what is hashed: as it stood when the button was
   pressed, for the stream may draw it anew meanwhile. */
const unhex = text => Uint8Array.from(text.match(/../g) || [], pair => parseInt(pair, 16));
const flat = text => text.replace(/[\s`\0\ufffd]/g, "").toLowerCase();
const drawnOn = card => card && {
  diff: flat(all(".approval-body .diff td.text", card).map(cell => cell.textContent).join("")), // at once: Σ ends a word as ς
  said: all("[data-said]", card).map(part => [part.dataset.said, flat(part.textContent)]),
};

function unlike(drawn, says) {
  const rows = (says.diff?.unified || "").replace(/\n$/, "").split("\n"), first = rows.findIndex(row => row.startsWith("@@"));
  const lines = rows.filter((row, i) => first >= 0 && i > first && !/^(@@|\\ No newline at end of file$)/.test(row)).map(row => row.slice(1));
  const told = { ...says, ...says.locales?.[root.lang] }; // the server says it in the language of the page, where it speaks it
  return flat(lines.join("")) !== drawn.diff || drawn.said.some(([name, text]) => text !== flat(told[name]));
}

async function checkCard({ says, vouched, asked, drawn }, digest) {
  const [named, sig] = (vouched || "").split(" "), key = await keyFor(serverIn(asked));
  if (!key || !sig && !key.card) return; // it has nothing to sign with; or the server signs no cards yet
  const known = key.card || named, text = ["gatehouse-card-v1", asked.split("\n")[2], digest, await hashOf(says)].join("\n");
  let server;
  try { server = await crypto.subtle.importKey("raw", unhex(known), "Ed25519", false, ["verify"]); } catch (error) { throw new Error(say(error.name === "NotSupportedError" ? "noEd25519" : "notTheirs")); }
  const word = await crypto.subtle.verify("Ed25519", server, unhex(sig || ""), utf8Of(text));
  if (!word || drawn && unlike(drawn, JSON.parse(says))) throw new Error(say("notTheirs"));
  if (!key.card) await keepKey(serverIn(asked), { ...key, card: known });
}

/* A decision: the digest is of the text that the card names (wire.CallText), and must be the one that it claims. That
   text names the hash of the arguments: what the card shows must have it, to the letter. The second form of the text
   ends with the hash of what is shown where secrets are masked. Staff are shown no arguments. */
const serverIn = asked => asked.split("\n")[1];
const shownIn = asked => { const lines = asked.split("\n"); return lines[lines[0] === "gatehouse-call-v2" ? 12 : 7]; };
async function signDecision(form, claimed, verb, minutes, scope, args) {
  const { sign: asked, shown, says, vouched } = form.dataset, drawn = drawnOn(form.closest(".approval"));
  if (shown !== undefined && await hashOf(shown) !== shownIn(asked)) throw new Error(say("otherArgs"));
  const digest = await hashOf(asked);
  if (digest !== claimed) throw new Error(say("otherDigest"));
  await checkCard({ says, vouched, asked, drawn }, digest);
  const time = nowText(), argsHash = args === undefined ? "-" : await hashOf(args), scopeHash = scope ? await hashOf(scope) : "-";
  return sign(serverIn(asked), time, ["gatehouse-approval-v1", digest, verb, minutes, scopeHash, argsHash, time].join("\n"));
}

/* A change of power: an unlock, a rise of autonomy, a key. */
async function signChange(server, kind, body, version) {
  const time = nowText(), hash = await hashOf(canonical(body));
  return sign(server, time, ["gatehouse-change-v1", server, kind, hash, version, time].join("\n"));
}

/* The arguments as a person left them, in canonical form. */
function editedArgs(form) {
  const kinds = JSON.parse(form.dataset.kinds), args = {};
  for (const [name, { kind, crlf }] of Object.entries(kinds)) {
    const text = new FormData(form).get(`args.${name}`) ?? "";
    args[name] = kind === "text" ? (crlf ? text : text.replace(/\r\n/g, "\n")) : JSON.parse(text.trim());
  }
  return canonical(args);
}

/* A passkey asks who is there by itself: then no password has to. */
async function provenByKey(field) {
  const key = await keyFor(serverIn(field.closest("form").dataset.sign)).catch(() => null);
  field.hidden = key?.kind === "passkey";
}
const askProofs = () => all("[data-proof]").forEach(provenByKey);
on("htmx:after:swap", askProofs);
askProofs();

/* What a window or a rule holds for, in canonical form; nothing for the rest. */
function scopeOf(form, verb, button) {
  if (verb === "allow_rule") return button.dataset.scope;
  return verb === "allow_window" && one("[data-only-there]:checked", form) ? canonical({ destination: true }) : "";
}

/* What a form would have signed: a decision, or a change that its fields describe. */
function signatureOf(form, verb, button) {
  const data = form.dataset;
  if (data.sign) {
    const minutes = verb === "allow_window" ? one("[name=minutes]", form).value : 0;
    const args = verb === "edit" ? editedArgs(form) : undefined;
    if (args !== undefined) one("input[name=args]", form).value = args;
    const scope = scopeOf(form, verb, button), field = one("input[name=scope]", form);
    if (field) field.value = scope;
    return signDecision(form, one("[name=digest]", form).value, verb, minutes, scope, args);
  }
  const body = data.permissions === undefined ? JSON.parse(data.changeBody) : rulesBody(form);
  if (data.changeLevel !== undefined) body.level = Number(new FormData(form).get("level"));
  if (data.changeTokens !== undefined) body.tokens = Number(new FormData(form).get("tokens"));
  return signChange(data.server, data.change, body, Number(data.version));
}

/* The rules that a person puts in force, as the server reads them. */
const rulesBody = form => ({ id: one("[name=id]", form).value, base: Number(one("[name=base]", form).value), text: one("[name=text]", form).value, reason: one("[name=reason]", form).value });

/* Rules that were typed as sentences are signed as the text that the hub makes of them: until the form has that, it is sent
   without a signature, and comes back to be looked at. */
on("input", ({ target }) => { if (target.form?.dataset.rows !== undefined && target.name !== "reason") target.form._typed = true; });
on("htmx:after:swap", () => all("form[data-rows]").forEach(form => { delete form._typed; }));

/* A form that needs a signature gets it before anything is sent. */
on("submit", async event => {
  const form = event.target, button = event.submitter, verb = button?.value;
  if (form._typed) return;
  const gives = form.dataset.sign ? ["allow_once", "allow_window", "allow_rule", "edit"].includes(verb) : form.dataset.change !== undefined && (form.dataset.permissions === undefined || verb === "save");
  if (!gives || form._signed) { delete form._signed; return; }
  event.preventDefault();
  event.stopImmediatePropagation();
  untell(form);
  try {
    one("input[name=signature]", form).value = JSON.stringify(await signatureOf(form, verb, button));
    form._signed = true;
  } catch (error) {
    const lacksKey = error instanceof NoKey, always = form.dataset.change === undefined || form.dataset.always !== undefined;
    const needsKey = always || (form.dataset.confirm && raises(form)); // other changes are taken unsigned
    if (lacksKey && !form.dataset.keys && needsKey) {
      const here = await letHere();
      if (here && button.isConnected && button.form === form) form.requestSubmit(button);
      else if (here) announce(say("gone"), true);
      if (here !== undefined) return;
    }
    if (always || !lacksKey) { unsigned(form, error); return; }
    form._signed = true; // what lowers power needs no key; what raises it the hub refuses, in words
  }
  form.requestSubmit(button);
}, true);

/* Why nothing was signed, beside the button, with the way to a key. */
function unsigned(form, error) {
  const line = doc.createElement("p");
  line.className = "error form-failed";
  line.textContent = error instanceof NoKey || error.name !== "NotAllowedError" ? error.message : say("notSigned");
  if (error instanceof NoKey) {
    const link = doc.createElement("a");
    link.href = `${form.dataset.keys || "/app/settings/approvers"}?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = say("enrol");
    line.append(" ", link);
  }
  tell(form, line);
  announce(line.textContent, true);
}
