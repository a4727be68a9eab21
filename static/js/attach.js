/* Files that go with a message: each is uploaded at once, to a place of its own, and the message names where it lies. A message
   waits for its uploads; one that failed keeps it back until it is tried again or taken out. */
const attach = one("[data-attach]"), chips = one("[data-attached]"), talk = one("#composer"), talkText = one("#composer-text");
const attachWords = attach && JSON.parse(attach.dataset.words), mostFiles = 20;
const chipList = () => chips ? [...chips.children] : [], chipsIn = state => chipList().filter(chip => chip.dataset.state === state);
const kept = `files ${talkText?.dataset.keep}`;
let queue = Promise.resolve(), sendsLater = false;

const sizeText = size => {
  const step = size < 1000 ? 0 : size < 1e6 ? 1 : size < 1e9 ? 2 : 3, unit = ["byte", "kilobyte", "megabyte", "gigabyte"][step];
  return new Intl.NumberFormat(root.lang, { style: "unit", unit, unitDisplay: step ? "short" : "long", maximumFractionDigits: step > 1 ? 1 : 0 }).format(size / 1000 ** step);
};

/* What stands beside the chips: why a message waits, what went wrong. */
function attachNote(message) {
  const line = one("[data-attach-note]");
  line.textContent = message;
  line.hidden = !message;
  if (message) announce(message, true);
}

/* What was uploaded outlives a reload, as the draft does. */
function keepChips() {
  if (!talkText?.dataset.keep) return;
  const done = chipsIn("done").map(chip => chip.about);
  try { done.length ? sessionStorage.setItem(kept, JSON.stringify(done)) : sessionStorage.removeItem(kept); } catch { /* private window */ }
}

function part(chip, tag, name, content) {
  const made = doc.createElement(tag);
  made.className = name;
  if (content) made.textContent = content;
  chip.append(made);
  return made;
}

/* A chip: name, size, how far it is, and the way to take it out. */
function chipFor(about) {
  const chip = doc.createElement("li"), { name, size, own } = about;
  chip.about = about;
  chip.name = part(chip, "span", "attachment-name", name);
  part(chip, "span", "muted num", sizeText(size));
  part(chip, "span", "muted", own ? attachWords.ours : attachWords.others);
  const said = part(chip, "span", "attachment-said"), bar = part(chip, "progress", ""), out = part(chip, "button", "btn quiet small icon-only attachment-out", "×");
  bar.setAttribute("aria-label", name);
  out.type = "button";
  out.setAttribute("aria-label", attachWords.remove.replace("{name}", name));
  out.addEventListener("click", () => takeOut(chip));
  chip.tell = (words, share) => { said.textContent = share > 0 && share < 1 ? `${words} ${Math.floor(share * 100)} %` : words; if (share !== undefined) bar.value = share; };
  chip.state = state => { chip.dataset.state = state; bar.hidden = state !== "busy"; };
  leavable(chip);
  chips.append(chip);
  chips.hidden = false;
  chip.scrollIntoView({ block: "nearest" });
  return chip;
}

function drop(chip) {
  chip.remove();
  chips.hidden = !chips.children.length;
  keepChips();
}

const staysNote = path => attachNote(attachWords.stays.replace("{path}", path));

/* What becomes of a file that is taken out: one that is there stays, of one that was on its way nothing is kept. */
function takeOut(chip) {
  const stays = chip.dataset.state === "done", { name, path } = chip.about;
  leave(chip);
  drop(chip);
  if (stays) staysNote(path); else attachNote(attachWords.cut.replace("{name}", name));
  goOn();
  talkText.focus();
}

/* A file that was deleted or moved since it was uploaded cannot go with the message: it leaves the list, and the page says so. A
   server that is away says nothing about it. */
async function lookAgain() {
  const lost = [];
  for (const chip of chipsIn("done")) {
    const answer = await fetch(`${attach.dataset.about}?${new URLSearchParams({ path: chip.about.path })}`).catch(() => null);
    if (answer?.status === 404 && chip.isConnected) { lost.push(chip.name.textContent); drop(chip); }
  }
  if (lost.length) attachNote(attachWords.lost.replace("{names}", lost.join(", ")));
}

/* The message names the files by fields of its form. */
function uploaded(chip) {
  chip.name.textContent = chip.about.path.split("/").pop();
  const field = part(chip, "input", "");
  field.type = "hidden";
  field.name = "file";
  field.value = chip.about.path;
  field.setAttribute("form", "composer");
  chip.state("done");
  chip.tell("");
}

async function placeFor(name) {
  const now = new Date(), month = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}`;
  const answer = await fetch(`${attach.dataset.place}?${new URLSearchParams({ month, name })}`);
  if (answer.status === 503) throw new Error(attachWords.away);
  if (!answer.ok) throw new Error(await problemIn(answer));
  return answer.json();
}

async function bring(chip, file) {
  if (chip.gone) return;
  chip.state("busy");
  all("[data-failed]", chip).forEach(line => line.remove());
  try {
    if (file.size > maxUpload) throw new Error(attachWords.large);
    const { path, server, config } = await placeFor(chip.about.name);
    attach.dataset.server = server;
    const brought = transfer(attach, { server, config }, file, { path, before: "", own: chip.about.own }, chip);
    await Promise.race([brought, chip.left]);
    if (chip.gone) { brought.then(arrived => { if (arrived) staysNote(path); }, () => { /* it was not wanted */ }); return; }
    chip.about.path = path;
    uploaded(chip);
    keepChips();
    announce(`${chip.about.name}: ${attachWords.done}`);
  } catch (problem) { if (!chip.gone) notBrought(chip, file, problem); }
  goOn();
}

/* Why a file was not uploaded, with the way on; where this device may not approve, with the way to that. */
function notBrought(chip, file, problem) {
  const why = { TypeError: say("fail"), NotFoundError: attachWords.unread, NotReadableError: attachWords.unread }[problem.name] || problem.message;
  const line = part(chip, "p", "error", why), again = part(chip, "button", "btn small", attachWords.again);
  chip.state("failed");
  chip.tell("");
  line.dataset.failed = again.dataset.failed = "";
  if (problem.enrols) {
    const link = doc.createElement("a");
    link.href = `/app/settings/approvers?next=${encodeURIComponent(location.pathname + location.search)}`;
    link.textContent = say("enrol");
    line.append(" ", link);
  }
  again.type = "button";
  again.addEventListener("click", () => { attachNote(""); chip.state("busy"); enqueue(chip, file); });
  chip.scrollIntoView({ block: "nearest" });
  announce(line.textContent, true);
}

const enqueue = (chip, file) => { queue = queue.then(() => bring(chip, file)); };

/* A message that waited goes out once its files are there, unless one is not. */
function goOn() {
  if (!sendsLater || chipsIn("busy").length) return;
  sendsLater = false;
  const failed = chipsIn("failed").length;
  attachNote(failed ? attachWords.failed : "");
  if (!failed) talk.requestSubmit();
}

function take(files) {
  if (!files.length) return;
  attach.closest("details").open = false;
  attachNote("");
  const own = one("input[name=own]", attach).checked;
  for (const file of files) {
    if (chipList().length >= mostFiles) { attachNote(attachWords.many); break; }
    const chip = chipFor({ name: file.name.normalize("NFC"), size: file.size, own });
    chip.state("busy");
    chip.tell(attachWords.next);
    enqueue(chip, file);
  }
  talkText.focus();
}

/* A pasted picture has no name of its own. */
const named = file => {
  const at = new Date(Date.now() - 60_000 * new Date().getTimezoneOffset()).toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
  return new File([file], `${attachWords.picture} ${at}.${file.type.split("/")[1].split("+")[0]}`, { type: file.type });
};

if (attach) {
  const input = one("[data-attach-files]", attach), box = one("[data-composer]");
  const carries = event => [...event.dataTransfer?.types || []].includes("Files");
  let said = [];
  try { said = JSON.parse(sessionStorage.getItem(kept)) || []; } catch { /* private window */ }
  said.forEach(about => uploaded(chipFor(about)));
  lookAgain();
  window.addEventListener("pageshow", ({ persisted }) => { if (persisted) lookAgain(); });
  on("visibilitychange", () => { if (!doc.hidden) lookAgain(); });
  input.addEventListener("change", () => { take([...input.files]); input.value = ""; });
  on("dragover", event => { if (carries(event)) { event.preventDefault(); box.dataset.drop = ""; } });
  on("dragleave", event => { if (!event.relatedTarget) delete box.dataset.drop; });
  on("drop", event => { if (carries(event)) { event.preventDefault(); delete box.dataset.drop; take([...event.dataTransfer.files]); } });
  talkText.addEventListener("paste", event => {
    const { files } = event.clipboardData;
    if (!files.length || event.clipboardData.getData("text/plain")) return;
    event.preventDefault();
    take([...files].map(file => file.type.startsWith("image/") ? named(file) : file));
  });
  on("submit", event => {
    if (event.target !== talk) return;
    const waits = chipsIn("busy").length, failed = chipsIn("failed").length;
    sendsLater = waits > 0 && !failed;
    attachNote(failed ? attachWords.failed : waits ? attachWords.waits : "");
    if (!waits && !failed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  talk.addEventListener("htmx:finally:request", event => {
    const { response, told } = event.detail.ctx;
    if (!(response?.status < 400) || told) { lookAgain(); return; }
    chipsIn("done").forEach(chip => chip.remove());
    chips.hidden = !chips.children.length;
    keepChips();
  });
}
