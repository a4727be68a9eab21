/* Clicks: copy, dismiss, print, dialogs, menus. */
async function copy(button) {
  const label = labelOf(button), was = button._was ??= label.textContent;
  try { await navigator.clipboard.writeText(button.dataset.copy); } catch { return; }
  label.textContent = say("copied");
  announce(say("copied"));
  setTimeout(() => { label.textContent = was; }, 2000);
}

on("click", event => {
  const target = event.target.closest("[data-copy], [data-dismiss], [data-print], a[data-open], [data-close], .summary a");
  if (!event.target.closest("[data-menu]")) closeMenus();
  if (!target) return;
  if (target.dataset.copy !== undefined) copy(target);
  else if (target.dataset.dismiss !== undefined) target.closest("[data-toast]").remove();
  else if (target.dataset.print !== undefined) { event.preventDefault(); print(); }
  else if (target.dataset.open) { if (openDialog(target.dataset.open)) event.preventDefault(); }
  else if (target.dataset.close !== undefined) { const dialog = target.closest("dialog"); if (dialog) { event.preventDefault(); dialog.close(); } }
  else focusField(event, target);
});

function openDialog(id) {
  const dialog = doc.getElementById(id);
  if (!dialog?.showModal) return false;
  dialog.showModal();
  one("[data-close]", dialog)?.focus();
  return true;
}
on("cancel", event => { if (one(".htmx-request", event.target)) event.preventDefault(); }, true);

/* A link of the error summary leads into the field, also where that is a group. */
function focusField(event, link) {
  const field = doc.getElementById(link.hash.slice(1));
  const control = field?.matches("fieldset") ? one("input", field) : field;
  if (!control) return;
  event.preventDefault();
  control.focus();
}

function closeMenus(except) { all("details[data-menu][open]").forEach(menu => { if (menu !== except) menu.open = false; }); }
on("toggle", event => { if (event.target.open && event.target.matches?.("[data-menu]")) closeMenus(event.target); }, true);
on("focusin", event => closeMenus(event.target.closest?.("details[data-menu]")));
