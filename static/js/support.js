/* Support windows in the console. The key of a member of staff is made by this browser and never leaves it: the owner signs for
   it. Each look is signed with it together with a key for the box of the answer (wire.SupportLook), which is opened here. */
const { canonical, freshKey, hashOf, nowText, ring, signWith } = window.gatehouse;
const staffSlot = server => `support ${server}`;
const staffKey = server => ring("readonly", keys => keys.get(staffSlot(server)));

async function staffKeyOrNew(server) {
  const known = await staffKey(server);
  if (known) return known;
  const made = { ...await freshKey(server), server: staffSlot(server) };
  await ring("readwrite", keys => keys.put(made));
  return made;
}

/* Asking: the public half travels with the form. */
on("submit", event => {
  const form = event.target;
  if (!form.matches("[data-support-ask]") || form._keyed) return;
  event.preventDefault();
  busily(form, event.submitter, async () => {
    const key = await staffKeyOrNew(form.dataset.server);
    one("input[name=spki]", form).value = key.spki;
    form._keyed = true;
    form.submit();
  });
});

/* One look: what is sent can be answered for this browser alone. */
async function seen(part, ask) {
  const { server, window: id, supportKey } = part.dataset, key = await staffKey(server);
  if (key?.id !== supportKey) throw new Error(part.dataset.noKey);
  const own = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const ownBytes = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey)), box_key = base64url(ownBytes);
  const time = nowText(), text = ["gatehouse-support-look-v1", server, id, await hashOf(canonical(ask)), box_key, time].join("\n");
  const signature = JSON.stringify(await signWith(key, time, text));
  const body = new URLSearchParams({ csrf: one("input[name=csrf]", part).value, ask: JSON.stringify(ask), box_key, signature });
  const answer = await fetch(part.dataset.look, { method: "POST", body });
  if (!answer.ok) throw new Error(await problemIn(answer));
  const purpose = { method: "support.look", server, name: id, version: await hashOf(text), offset: 0 };
  const plain = await unsealPart(own.privateKey, ownBytes, purpose, new Uint8Array(await answer.arrayBuffer())).catch(() => { throw new Error(part.dataset.unopened); });
  return JSON.parse(new TextDecoder().decode(plain));
}

/* Content is drawn as text alone, whatever it says. */
function made(tag, text, ...children) {
  const el = doc.createElement(tag);
  if (text) el.textContent = text;
  el.append(...children);
  return el;
}
function lookButton(label, ask) {
  const button = made("button", label);
  button.type = "button";
  button.className = "btn small";
  button.dataset.ask = JSON.stringify(ask);
  return button;
}
const rowOf = (...children) => { const li = made("li", "", ...children); li.className = "row"; return li; };
const listOf = (part, rows) => rows.length ? (list => { list.className = "tokens"; return [list]; })(made("ul", "", ...rows)) : [made("p", part.dataset.nothing)];
const preOf = text => { const pre = made("pre", text); pre.className = "wrap"; pre.tabIndex = 0; return pre; };
const moment = text => new Date(text).toLocaleString(root.lang);
const parentOf = path => path.split("/").slice(0, -1).join("/");

const drawings = {
  containers: (part, { items }) => listOf(part, items.map(c => rowOf(made("strong", c.name || c.id), made("span", c.state),
    ...part.dataset.what.includes("logs") ? [lookButton(part.dataset.sayLogs, { see: "logs", name: c.name || c.id })] : [],
    ...part.dataset.what.includes("inspect") ? [lookButton(part.dataset.sayInspect, { see: "inspect", name: c.name || c.id })] : []))),
  logs: (part, { name, lines, cut }) => [
    made("h3", name), lookButton(part.dataset.again, { see: "logs", name }), ...cut ? [made("p", part.dataset.cut)] : [],
    lines.length ? preOf(lines.join("\n")) : made("p", part.dataset.nothing),
  ],
  inspect: (part, { name, facts }) => [made("h3", name), made("dl", "", ...(facts || []).flatMap(f => [made("dt", f.name), ...f.lines.map(line => made("dd", line))]))],
  files: (part, { path, items, next }) => [
    made("h3", `/${path}`), ...path ? [lookButton(part.dataset.up, parentOf(path) ? { see: "files", name: parentOf(path) } : { see: "files" })] : [],
    ...listOf(part, items.map(f => rowOf(f.kind === "other" || f.closed ? made("span", f.path.split("/").pop()) :
      lookButton(f.path.split("/").pop() + (f.kind === "folder" ? "/" : ""), { see: f.kind === "folder" ? "files" : "file", name: f.path }), made("span", moment(f.modified))))),
    ...next ? [lookButton(part.dataset.more, path ? { see: "files", name: path, after: next } : { see: "files", after: next })] : [],
  ],
  file: (part, { path, text, cut }) => [
    made("h3", `/${path}`), lookButton(part.dataset.up, parentOf(path) ? { see: "files", name: parentOf(path) } : { see: "files" }),
    ...cut ? [made("p", part.dataset.cut)] : [], text ? preOf(text) : made("p", part.dataset.noText),
  ],
  conversations: (part, { items, next }) => [
    ...listOf(part, items.map(s => rowOf(lookButton(s.title || s.id, { see: "conversation", name: s.id }), made("span", `${s.agent} · ${moment(s.updated_at)}`)))),
    ...next ? [lookButton(part.dataset.more, { see: "conversations", after: next })] : [],
  ],
  conversation: (part, { id, title, turns, more }) => [
    made("h3", title), ...more && turns.length ? [lookButton(part.dataset.more, { see: "conversation", name: id, after: turns[0].run.id })] : [],
    ...turns.flatMap(turn => [
      made("p", `${turn.from?.email || ""} · ${moment(turn.time)}`), preOf(turn.text),
      made("p", turn.run.agent), preOf(turn.run.final?.text || turn.run.error?.title || turn.run.state),
    ]),
  ],
};

on("click", event => {
  const button = event.target.closest("[data-ask]"), part = button?.closest("[data-support]");
  if (!part) return;
  const ask = JSON.parse(button.dataset.ask), place = one("[data-seen]", part);
  busily(part, button, async () => {
    const content = await seen(part, ask);
    place.replaceChildren(...drawings[ask.see](part, content));
    place.hidden = false;
    place.focus();
  });
});

/* Which browser can open what the server shows. */
all("[data-support-key]").forEach(async part => {
  const key = await staffKey(part.dataset.server).catch(() => null), mine = key?.id === part.dataset.supportKey;
  all("[data-other-browser]", part).forEach(line => { line.hidden = mine; });
});
