/* Focus: when what one was on is swapped away, go to the nearest heading and say so. */
let held = null;

on("htmx:before:swap", () => {
  const now = doc.activeElement;
  if (!now || now === doc.body) return;
  const path = [];
  for (let at = now; at && at !== doc.body; at = at.parentElement) if (at.id) path.push(at.id);
  held = { element: now, path };
});
on("htmx:after:swap", () => { settleFocus(); scan(); });

/* A link to a part of a page opens what is folded there. */
function unfold() {
  const part = location.hash && doc.getElementById(location.hash.slice(1)), folded = part && (part.matches("details") ? part : one(".call-body", part));
  if (folded) folded.open = true;
  for (let around = part && part.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
}
addEventListener("hashchange", unfold);
unfold();

function settleFocus() {
  if (!held || held.element.isConnected || (doc.activeElement && doc.activeElement !== doc.body)) { held = null; return; }
  const around = held.path.map(id => doc.getElementById(id)).find(Boolean) || doc;
  const home = around.matches?.("[data-focus-home]") ? around : one("[data-focus-home]", around) || around.closest?.("article, section, main")?.querySelector("[data-focus-home], h1, h2") || one("main h1");
  home?.focus();
  announce(say("gone"));
  held = null;
}
