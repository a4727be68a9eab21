/* The owner's first key: made here when somebody orders, taken into use once the server says that it is its only one. Until
   then it lies beside the others in the ring, named after itself. The texts are described at wire.KeyList and wire.KeysText. */
const waiting = id => `pending ${id}`;
const aDay = 24 * 3600e3;

/* firstKey is the key that goes with an order: the one of the last try, if it is here, or a new one. Whoever orders does not
   wait long for it. */
async function firstKey(before) {
  if (before) {
    const id = base64url(await sha256(bytesOf(before)));
    if (await ring("readonly", keys => keys.get(waiting(id)))) return before;
  }
  const made = await freshKey("");
  await ring("readwrite", keys => keys.put({ ...made, server: waiting(made.id), made: Date.now() }));
  return made.spki;
}
const within = (promise, ms) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, ms))]);

on("submit", async event => {
  const form = event.target, button = event.submitter, field = one("[data-first-key-field]", form);
  if (!field || form._keyed === true) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form._keyed) return; // the second of two clicks
  form._keyed = "soon";
  field.value = await within(firstKey(field.value), 3000).catch(() => ""); // without a key the order goes on: codes enrol one
  form._keyed = true;
  form.requestSubmit(button);
}, true);

/* confirmed says whether the server that is shown has exactly this key and no other, and says so itself. */
async function confirmed(key, { server, list, card, sig }) {
  if (list !== canonical([{ holder: "person", key_id: key.id, kind: key.kind }])) return false;
  const theirs = await crypto.subtle.importKey("raw", unhex(card), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", theirs, unhex(sig), utf8Of(["gatehouse-keys-v1", server, await hashOf(list)].join("\n")));
}

/* claim moves a waiting key to its server, which is known by its card key from then on, or gives it up; and tells which. */
async function claim(part) {
  const { firstKey: id, server, card } = part.dataset;
  const key = await ring("readonly", keys => keys.get(waiting(id)));
  const good = key && await confirmed(key, part.dataset).catch(() => false);
  if (key) await ring("readwrite", keys => { if (good) keys.put({ ...key, server, card }); return keys.delete(waiting(id)); });
  const own = await ring("readonly", keys => keys.get(server));
  one("[data-kept]", part).hidden = own?.id !== id || own.card !== card;
  if (key && !good) one("[data-refused]", part).hidden = false;
}

/* The page of the order says it. Whoever has left that page is told on the next one of the portal. */
async function settle() {
  const part = one("[data-first-key]");
  if (part) { await claim(part); return; }
  if (!location.pathname.startsWith("/app")) return;
  const waits = (await ring("readonly", keys => keys.getAll())).filter(key => key.server.startsWith(waiting("")) && Date.now() - key.made < aDay);
  if (!waits.length) return;
  const page = new DOMParser().parseFromString(await (await fetch("/onboard")).text(), "text/html"), told = one("[data-first-key]", page);
  if (!waits.some(key => key.id === told?.dataset.firstKey)) return;
  one("main").prepend(told);
  await claim(told);
}
const settled = () => settle().catch(() => { /* no store in a private window: there is no key either */ });
on("htmx:after:swap", () => { if (one("[data-first-key]")) settled(); });
settled();
