/* The recovery code: the server seals it for this browser, which shows it until somebody has written it down. The texts are
   described at wire.SealedRecovery. */
const groupsAsked = 4;

async function freshBox() {
  const pair = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  return { private: pair.privateKey, public: base64url(await crypto.subtle.exportKey("raw", pair.publicKey)) };
}

/* vouched is the key for boxes with the signature of the approver key beside it (wire.BoxKey): nobody on the way to the
   server can put another one in its place. */
async function vouched(key, box) {
  const time = nowText();
  return JSON.stringify({ box_key: box.public, signature: await signWith(key, time, ["gatehouse-box-key-v1", key.id, box.public, time].join("\n")) });
}

/* openRecovery gives the code as the server signed and sealed it; nothing where another browser is meant. */
async function openRecovery({ server, recovery, card, box, sig }) {
  const own = await keyFor(server);
  if (own?.id !== recovery) return "";
  const theirs = await crypto.subtle.importKey("raw", unhex(own.card || card), "Ed25519", false, ["verify"]);
  const text = ["gatehouse-recovery-v1", server, recovery, await hashOf(box)].join("\n");
  if (!await crypto.subtle.verify("Ed25519", theirs, unhex(sig), utf8Of(text))) throw new Error(say("notTheirs"));
  const purpose = { method: "approver.recovery", server: "-", name: recovery, nonce: "-" };
  return new TextDecoder().decode(await unseal(own.box.private, bytesOf(own.box.public), purpose, box));
}

/* Which groups are asked for is for chance to say, so that nobody learns them by heart. */
function someOf(count) {
  const order = [...crypto.getRandomValues(new Uint32Array(count))].map((by, i) => [by, i]).sort(([a], [b]) => a - b);
  return order.slice(0, groupsAsked).map(([, i]) => i).sort((a, b) => a - b);
}

/* offerRecovery draws the code where it belongs to this browser. The stream may draw the page again meanwhile. */
async function offerRecovery(part) {
  if (part._recovery) return;
  const code = await openRecovery(part.dataset).catch(() => undefined);
  if (code === "" || part._recovery) return;
  all("[data-recovery-elsewhere]").forEach(line => { line.hidden = true; });
  one("[data-recovery-failed]", part).hidden = code !== undefined;
  if (code === undefined) return;
  const groups = code.split("-");
  part._recovery = { groups, picked: someOf(groups.length) };
  one("[data-recovery-code]", part).replaceChildren(...groups.map(group => Object.assign(doc.createElement("span"), { textContent: group })));
  one("[data-recovery-copy]", part).dataset.copy = code;
  all("[data-group-name]", part).forEach((name, i) => { name.textContent = say("group", { n: part._recovery.picked[i] + 1 }); });
  turn(part, "shown");
}

/* turn shows one side of the part: the code, the question for its groups, or that it was kept. */
const sides = ["shown", "check", "done"];
const turn = (part, side) => sides.forEach(name => { one(`[data-recovery-${name}]`, part).hidden = name !== side; });

on("click", event => {
  const part = event.target.closest("[data-recovery]"), next = event.target.closest("[data-recovery-next]");
  if (!part || !next && !event.target.closest("[data-recovery-back]")) return;
  turn(part, next ? "check" : "shown");
  next ? one("[data-group]", part).focus() : one("#recovery-title", part).focus();
});

/* Only somebody who has the groups beside them can say that the code was kept. The server is shown that the whole code is
   known, and deletes its box; this browser deletes the key to it. */
async function keepRecovery(form) {
  const part = form.closest("[data-recovery]"), { groups, picked } = part._recovery, { server } = part.dataset;
  const wrong = all("[data-group]", form).filter((field, i) => plainCode(field.value) !== groups[picked[i]]);
  if (wrong.length) { wrong[0].focus(); throw new Error(say("groupsWrong")); }
  const secret = await codeKey(groups.join(""));
  await send(form, { proof: await proof(secret, ["gatehouse-recovery-kept-v1", server].join("\n")) });
  const { box, ...own } = await keyFor(server);
  await keepKey(server, own);
  one("[data-recovery-code]", part).replaceChildren();
  delete one("[data-recovery-copy]", part).dataset.copy;
  all("[data-recovery-notice]").forEach(notice => notice.remove());
  turn(part, "done");
  announce(one("[data-recovery-done]", part).textContent.trim());
}

/* A new code is sealed to a new key, which is kept before it is sent: an answer that is lost must not lose the code. */
async function renewRecovery(form) {
  const { server, version } = form.dataset, own = await keyFor(server);
  if (!own) throw new NoKey(say("noKey"));
  const box = await freshBox(), signature = JSON.stringify(await signChange(server, "approver.recovery", { box_key: box.public }, Number(version)));
  await keepKey(server, { ...own, box });
  try { await send(form, { box_key: box.public, version, signature }); } catch (error) {
    if (!(error instanceof TypeError)) await keepKey(server, own);
    throw error;
  }
  location.hash = "recovery";
  location.reload();
}

on("submit", async event => {
  const form = event.target, button = event.submitter;
  if (!form.matches("[data-recovery-check], [data-recovery-new]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  untell(form);
  const label = labelOf(button), was = label.textContent;
  button.disabled = true;
  label.textContent = button.dataset.busy;
  try { await (form.dataset.recoveryNew === undefined ? keepRecovery(form) : renewRecovery(form)); } catch (error) { unsigned(form, error); }
  button.disabled = false;
  label.textContent = was;
}, true);

/* The reminder says whether this is the browser that can show the code. */
async function markNotice(notice) {
  const own = await keyFor(notice.dataset.server), here = own?.id === notice.dataset.recoveryNotice && !!own.box;
  one("[data-here]", notice).hidden = !here;
  one("[data-elsewhere]", notice).hidden = here;
}
function remindRecovery() {
  all("[data-recovery-notice]").forEach(notice => markNotice(notice).catch(() => { /* no store in a private window */ }));
  all("[data-recovery]").forEach(offerRecovery);
}
on("htmx:after:swap", remindRecovery);
remindRecovery();
