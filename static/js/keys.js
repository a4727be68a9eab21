/* Keys: single ones never fire in fields and never decide by themselves. */
const off = one("[data-keys-off]");
if (off) {
  off.checked = remembered("keys") === "off";
  off.addEventListener("change", () => remember("keys", off.checked ? "off" : ""));
}
let going = 0;

const typing = element => element.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");

on("keydown", event => {
  if (event.defaultPrevented) return;
  if (event.key === "Escape") { escape(event); return; }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.target.closest("form:not([data-decision])")?.requestSubmit(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || off?.checked || one("dialog[open]")) return;
  if (going && go(event.key)) { event.preventDefault(); return; }
  const act = keys[event.key];
  if (act && act() !== false) event.preventDefault();
});

function escape(event) {
  const menu = one("details[data-menu][open]");
  if (menu) { menu.open = false; one("summary", menu).focus(); }
  else if (typing(event.target) && !event.target.closest("dialog")) event.target.blur();
}

function go(key) {
  going = 0;
  const link = all("[data-go]").find(item => item.dataset.go === key);
  link?.click();
  return Boolean(link);
}

function step(by) {
  const items = all("[data-item], article.approval, .turn");
  const at = items.findIndex(item => item.contains(doc.activeElement));
  const item = items[Math.max(0, Math.min(items.length - 1, at < 0 ? 0 : at + by))];
  if (!item) return false;
  const goal = one("[data-focus-home], a[href], button", item) || item;
  if (!goal.matches("a, button, [tabindex]")) goal.tabIndex = -1;
  goal.focus();
}

function verb(selector) {
  const asked = all(".approval[data-state=pending]:not([data-tier=critical])");
  const card = asked.find(item => item.contains(doc.activeElement)) || (asked.length === 1 ? asked[0] : null);
  const button = card && one(selector, card);
  if (!button) return false;
  button.focus();
}

const keys = {
  "?": () => openDialog("help"),
  "/": () => { const field = one("[data-search]") || text; if (!field) return false; field.focus(); field.select?.(); },
  g: () => { going = 1; setTimeout(() => { going = 0; }, 1500); },
  j: () => step(1),
  k: () => step(-1),
  a: () => verb("[value=allow_once]"),
  d: () => verb(".verbs [value=deny]"),
  e: () => verb("[data-verb=edit]"),
  s: () => { const button = one("[data-verb=stop]", doc.activeElement.closest("[data-item]") || doc); if (!button) return false; button.focus(); },
};
