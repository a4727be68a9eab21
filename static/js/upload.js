/* An upload: the file is read once to name each stretch by its hash, the name of the whole is signed, and the stretches go
   one by one, each sealed to the server. What was cut goes on where it stopped, also after the page was left: the act that
   was signed is remembered until it is done. */
const b64 = bytes => { let s = ""; for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode(...bytes.subarray(i, i + 0x8000)); return btoa(s).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""); };
const partsOf = size => Math.ceil(size / partSize), stretch = (file, i) => file.slice(i * partSize, (i + 1) * partSize).arrayBuffer();
const maxUpload = 1 << 30;

async function hashed(file, progress) {
  const parts = [];
  for (let i = 0; i < partsOf(file.size); i++) { parts.push(hex(await sha256(await stretch(file, i)))); progress(i + 1, partsOf(file.size)); }
  return { parts, hash: hex(await sha256(utf8Of([fileInfo, file.size, ...parts].join("\n")))) };
}

async function sealPart(to, purpose, plain) {
  const own = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const from = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey)), { key, iv } = await boxKey(own.privateKey, to, from, to, "encrypt", fileInfo);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: fileText(purpose) }, key, plain));
  const box = new Uint8Array(from.length + sealed.length);
  box.set(from);
  box.set(sealed, from.length);
  return box;
}

const newID = () => { // UUIDv7
  const b = crypto.getRandomValues(new Uint8Array(16)), now = Date.now();
  for (let i = 0; i < 6; i++) b[i] = Math.floor(now / 2 ** (8 * (5 - i)));
  b[6] = b[6] & 15 | 112;
  b[8] = b[8] & 63 | 128;
  return hex(b).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

const sent = async (form, path, fields) => {
  const body = new URLSearchParams({ csrf: one("input[name=csrf]", form).value, ...fields });
  return (await insist(() => fetch(path, { method: "POST", body, headers: { Accept: "application/json" } }))).json();
};

/* begin says how far the upload is: one that was signed before goes on, if it says the same; anything else is signed now. */
async function begin(form, { server, config }, act, parts) {
  const place = `upload:${server}:${act.path}:${act.hash}`, action = form.getAttribute("action");
  const text = remembered(place), known = JSON.parse(text || "null"), all = parts.join("");
  if (known?.own === act.own && known.before === act.before) {
    try { return { act: known, place, state: await sent(form, action, { act: text, parts: all }) }; } catch (problem) {
      if (!problem.refused) throw problem; // the server may still know it
    }
  }
  const signature = JSON.stringify(await signHere(server, "file", act, Number(config))), fresh = JSON.stringify(act);
  const state = await sent(form, action, { act: fresh, parts: all, signature });
  remember(place, fresh);
  return { act, place, state };
}

/* whatIsAt is the file that would be replaced; without a version when there is none. */
async function whatIsAt(form, path) {
  const answer = await insist(async () => {
    const got = await fetch(`${form.dataset.about}?${new URLSearchParams({ path })}`);
    return got.status === 404 ? new Response("{}") : got;
  });
  return answer.json();
}

async function upload(form, file, folder, own, row) {
  const words = JSON.parse(form.dataset.words), path = folder ? `${folder}/${file.name}` : file.name;
  if (file.size > maxUpload) throw new Error(words.large);
  const { server, config } = form.dataset, { version: before = "", unkept } = await whatIsAt(form, path);
  if (before && !row.dataset.replace) {
    if (!confirm((unkept ? words.replaceUnkept : words.replace).replace("{name}", file.name))) { row.tell(words.skipped); return ""; }
    row.dataset.replace = "1";
  }
  return await transfer(form, { server, config }, file, { path, before, own }, row) ? path : "";
}

/* A row can be left: whoever waits for its file waits no longer. */
const leavable = row => { row.left = new Promise(done => { row.leaves = done; }); };
function leave(row) {
  row.gone = true;
  row.leaves();
}

/* transfer brings a file to its place, stretch by stretch; it goes no further once the row is gone, and says whether the file
   has arrived. */
async function transfer(form, bound, file, { path, before, own }, row) {
  const words = JSON.parse(form.dataset.words), { server } = bound;
  const { parts, hash } = await hashed(file, (n, of) => row.tell(words.reading, n / of));
  if (row.gone) return false;
  const { act, place, state } = await begin(form, bound, { id: newID(), do: "upload", path, to: "", of: "", before, size: file.size, hash, own }, parts);
  const { key } = await opened(form, "", "");
  for (let next = state.next; !state.done && next < parts.length;) {
    if (row.gone) return false;
    const purpose = { method: "files.part", server, name: act.id, version: parts[next], offset: next * partSize };
    const box = await sealPart(key, purpose, await stretch(file, next));
    const got = await sent(form, form.dataset.part, { id: act.id, index: next, box: b64(box) });
    next = got.next;
    row.tell(words.sending, next / parts.length);
  }
  if (row.gone) return false;
  const { unkept } = await sent(form, form.dataset.finish, { id: act.id });
  remember(place, "");
  row.tell(before && unkept ? words.doneUnkept : words.done, 1);
  return true;
}

/* A line for each file: how far it is, the way on when it was cut, and the way to give it up until it has arrived. */
function rowFor(form, file) {
  const row = doc.createElement("li"), name = doc.createElement("span"), bar = doc.createElement("progress"), said = doc.createElement("span");
  const out = doc.createElement("button"), words = JSON.parse(form.dataset.words);
  name.className = "strong";
  name.textContent = file.name;
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", file.name);
  said.className = "muted small-text";
  out.type = "button";
  out.className = "btn small";
  out.dataset.out = "";
  out.textContent = words.remove;
  out.setAttribute("aria-label", words.removeThis.replace("{name}", file.name));
  out.addEventListener("click", () => {
    leave(row);
    row.remove();
    uploadNote(form, words.cut.replace("{name}", file.name));
  });
  leavable(row);
  row.append(name, bar, said, out);
  row.tell = (words, share) => { said.textContent = share > 0 && share < 1 ? `${words} ${Math.floor(share * 100)} %` : words; if (share !== undefined) bar.value = share; };
  one("[data-uploads]", form).append(row);
  return row;
}

/* Whether files are the business's own is remembered on this device. */
all("[data-upload], [data-attach]").forEach(form => {
  const field = one("input[name=own]", form);
  field.checked = remembered("own files") === "yes";
  field.addEventListener("change", () => remember("own files", field.checked ? "yes" : ""));
});

/* What became of files that were given up. */
function uploadNote(form, message) {
  const line = one("[data-upload-note]", form);
  line.textContent = message;
  line.hidden = !message;
  if (message) announce(message);
}

async function uploadShown(form, file, folder, own, row) {
  if (row.gone) return "";
  one("[data-again]", row)?.remove();
  one(".error", row)?.remove();
  try {
    const path = await Promise.race([upload(form, file, folder, own, row), row.left]);
    if (!row.gone) one("[data-out]", row)?.remove();
    return path || "";
  } catch (problem) {
    if (row.gone) return "";
    const again = doc.createElement("button"), line = doc.createElement("p");
    line.className = "error";
    line.textContent = problem.name === "TypeError" ? say("fail") : problem.message;
    again.type = "button";
    again.className = "btn small";
    again.dataset.again = "";
    again.textContent = JSON.parse(form.dataset.words).again;
    again.addEventListener("click", async () => { if (await uploadShown(form, file, folder, own, row)) refresh(); });
    row.append(line, again);
    announce(line.textContent, true);
    return "";
  }
}

/* The list as it is now. */
async function refresh() {
  const place = one("#files-results");
  if (!place) return;
  const answer = await fetch(location.href, { headers: { "HX-Request-Type": "partial" } });
  if (answer.ok) place.replaceWith(...new DOMParser().parseFromString(await answer.text(), "text/html").body.children);
}

/* A page that a browser kept may name files that are gone meanwhile. */
window.addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  all("[data-uploads] > li:not(:has([data-out]))").forEach(row => row.remove());
  refresh();
});

on("submit", event => {
  const form = event.target;
  if (!form.matches("[data-upload]")) return;
  event.preventDefault();
  const input = one("[data-files]", form), files = [...input.files], own = one("input[name=own]", form).checked;
  if (!files.length) { input.focus(); return; }
  busily(form, event.submitter, async () => {
    one("[data-uploads]", form).replaceChildren();
    uploadNote(form, "");
    let done = 0;
    for (const [file, row] of files.map(file => [file, rowFor(form, file)])) if (await uploadShown(form, file, form.dataset.upload, own, row)) done++;
    if (!done) return;
    input.value = "";
    announce(JSON.parse(form.dataset.words).done);
    await refresh();
  });
});

/* A name that is typed is part of what is signed. */
on("input", event => {
  const form = event.target.form, { names: named, in: folder } = form?.dataset || {}, names = event.target.dataset?.signs || named;
  if (!names) return;
  const act = JSON.parse(form.dataset.changeBody), name = event.target.value.trim();
  act[names] = folder ? `${folder}/${name}` : name;
  form.dataset.changeBody = one("input[name=act]", form).value = JSON.stringify(act);
});
