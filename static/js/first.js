/* The owner's first key: made here when somebody orders, taken into use once the server says that it is its only one. Until
   then it lies beside the others in the ring, named after itself. The texts are described at wire.KeyList and wire.KeysText. */
const waiting = id => `pending ${id}`;
const thirtyDays = 30 * 24 * 3600e3;
const idOf = async spki => base64url(await sha256(bytesOf(spki)));

/* pending gives the keys that wait for their server; it deletes those that waited too long. */
async function pending() {
  const held = (await ring("readonly", keys => keys.getAll())).filter(key => key.server.startsWith(waiting("")));
  const fresh = held.filter(key => Date.now() - key.made < thirtyDays);
  for (const key of held.filter(key => !fresh.includes(key))) await ring("readwrite", keys => keys.delete(key.server));
  return fresh;
}

/* firstKey is the key that goes with an order: the one of the last try, if it is here, or a new one. Beside it lies a key to
   which the server seals the recovery code. A browser that could not check the server's signature makes none. A passkey of that
   name is made where the person chose one; it is kept before it signs, so that who does not confirm that is not asked to make
   a second one. */
async function firstKey(before, passkey) {
  await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]); // fails where the browser lacks it
  const id = before && await idOf(before), kind = passkey ? "passkey" : "browser";
  const held = (await pending()).find(key => key.kind === kind && (key.id === id || !key.box));
  if (held?.box) return held;
  const made = held || await (passkey ? freshPasskey("", passkey) : freshKey("")), box = await freshBox();
  const keep = key => ring("readwrite", keys => keys.put({ ...key, server: waiting(made.id), made: Date.now() }));
  if (passkey && !held) await keep(made);
  box.vouched = await vouched(made, box);
  await keep({ ...made, box });
  navigator.storage?.persist?.().catch(() => { /* the browser decides */ });
  return { ...made, box };
}

/* A passkey is offered where this device has one by itself. */
const passkeyOffer = one("[data-first-passkey-offer]");
if (passkeyOffer) window.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable?.().then(has => { passkeyOffer.hidden = !has; }).catch(() => { /* none */ });

/* The key for this form. Without a passkey the order goes on without a key as well: a code enrolls one later. Who chose a
   passkey is told when there is none. */
async function keyForOrder(form, before) {
  if (!passkeyOffer || passkeyOffer.hidden || !one("[data-first-passkey]", form).checked) return within(firstKey(before), 3000).catch(() => null);
  const email = one("[name=email]", form)?.value.trim();
  try { return await firstKey(before, [passkeyOffer.dataset.name, email].filter(Boolean).join(" · ")); } catch { throw new Error(passkeyOffer.dataset.notMade); }
}
const within = (promise, ms) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, ms))]);

/* What was sent with an order is remembered until the order shows, and then with the number of that order. A form that comes
   again made no order. */
on("submit", async event => {
  const form = event.target, button = event.submitter, field = one("[data-first-key-field]", form);
  if (!field || form._keyed === true) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form._keyed) return; // the second of two clicks
  form._keyed = "soon";
  untell(form);
  let made;
  try { made = await keyForOrder(form, field.value); } catch (error) { delete form._keyed; unsigned(form, error); return; }
  field.value = made?.spki || "";
  one("[data-first-passkey-field]", form).value = made?.credential || "";
  one("[data-first-box-field]", form).value = made?.box?.vouched || "";
  remember("ordering", field.value);
  await new Promise(done => setTimeout(done)); // while this event still runs, the form takes no other one
  form._keyed = true;
  form.requestSubmit(button);
}, true);
if (one("[data-first-key-field]")) remember("ordering", "");
async function orderSeen(order) {
  const sent = remembered("ordering");
  if (!sent) return;
  remember("ordered", `${order} ${await idOf(sent)}`);
  remember("ordering", "");
}

/* confirmed says whether the server that is shown has exactly this key and no other, and says so itself. Where that cannot
   be checked it fails. */
async function confirmed(key, { server, list, card, sig }) {
  const theirs = await crypto.subtle.importKey("raw", unhex(card), "Ed25519", false, ["verify"]);
  const text = ["gatehouse-keys-v1", server, await hashOf(list)].join("\n");
  const signed = await crypto.subtle.verify("Ed25519", theirs, unhex(sig), utf8Of(text));
  return signed && list === canonical([{ holder: "person", key_id: key.id, kind: key.kind }]);
}
const unsupported = error => { if (error.name !== "NotSupportedError") throw error; };

/* Another server may take the place of the one that the key was made for: it begins with the same key. That lies in the ring
   under the former server, which works until then and keeps its own. */
const plainKey = key => !/^(pending|staff) /.test(key.server);
async function inherited(named, server) {
  const held = (await ring("readonly", keys => keys.getAll())).filter(plainKey);
  return held.some(key => key.server === server) ? undefined : held.find(key => key.id === named);
}

/* claim moves the key that waits for an order to its server, which is known by its card key from then on, or deletes the
   key that the server does not confirm. A key that this browser sent with the order waits for it, even where the order
   names another one now. One of a former server is copied. The part of the page tells the outcome; claim says whether a key
   waited, or was copied. */
async function claim(part, order) {
  const { firstKey: named, server, card } = part.dataset, held = await pending();
  const waited = held.find(key => key.id === named) || held.find(key => remembered("ordered") === `${order} ${key.id}`);
  const key = waited || await inherited(named, server);
  const good = key && await confirmed(key, part.dataset).catch(unsupported);
  if (good) await ring("readwrite", keys => keys.put({ ...key, server, card }));
  if (waited && good !== undefined) await ring("readwrite", keys => keys.delete(waited.server));
  const own = await ring("readonly", keys => keys.get(server));
  one("[data-kept]", part).hidden = own?.id !== (key ? key.id : named) || own.card !== card;
  if (good === false) one("[data-refused]", part).hidden = false;
  one("[data-unchecked]", part).hidden = !key || good !== undefined;
  all("[data-recovery]", part).forEach(offerRecovery);
  return !!waited || !!good;
}

/* unkeyed says whether the page is about a server that this browser has no key for, though it has one for another. Each server
   is looked for once: a page is drawn anew all the time. */
const lookedFor = new Set();
async function unkeyed() {
  const named = all("form[data-server], [data-own-keys], [data-recovery-notice], [data-sign]");
  const servers = named.map(({ dataset }) => dataset.sign ? serverIn(dataset.sign) : dataset.ownKeys || dataset.server);
  const fresh = servers.filter(server => server && !lookedFor.has(server));
  fresh.forEach(server => lookedFor.add(server));
  if (!fresh.length) return false;
  const held = (await ring("readonly", keys => keys.getAll())).filter(plainKey);
  return held.length > 0 && fresh.some(server => !held.some(key => key.server === server));
}

/* The page of the order tells it. A browser that left that page early is told on its next page of the portal, and so is one
   whose server was replaced. */
async function settle(drawn = false) {
  const here = one("[data-order]"), portal = location.pathname.startsWith("/app");
  const there = !here && portal && (!drawn && (await pending()).length > 0 || await unkeyed());
  if (!here && !there) return;
  const page = here ? doc : new DOMParser().parseFromString(await (await fetch("/onboard")).text(), "text/html");
  const order = one("[data-order]", page)?.dataset.order, part = one("[data-first-key]", page);
  if (order) await orderSeen(order);
  if (part && await claim(part, order) && there && !one("[data-first-key]")) one("main").prepend(part);
}
const settled = drawn => settle(drawn).catch(() => { /* no store in a private window: there is no key either */ });
on("htmx:after:swap", () => { if (one("[data-first-key], [data-sign]")) settled(true); });
settled();
