/* A form that gives an agent more power asks once more; one that takes power away is sent at once. A level that is no more
   than the one in force gives none. */
const rises = (now, next) => now > 0 && (!next || next > now); // of a budget, where 0 is none at all
function raises(form) {
  if (form.dataset.changeTokens !== undefined) return rises(Number(form.dataset.now), Number(new FormData(form).get("tokens")));
  if (form.dataset.changeLevel === undefined) return form.dataset.change !== undefined;
  const { now, inherit } = form.dataset, chosen = Number(new FormData(form).get("level"));
  return (chosen || Number(inherit)) > Number(now);
}

on("submit", event => {
  const form = event.target, dialog = doc.getElementById(form.dataset.confirm);
  if (!dialog || !raises(form)) return;
  if (event.submitter?.dataset.confirmed !== undefined) { dialog.close(); return; }
  event.preventDefault();
  event.stopImmediatePropagation();
  const chosen = new FormData(form).get("level") ?? "";
  all("[data-chosen]", dialog).forEach(part => { part.hidden = part.dataset.chosen !== "" && part.dataset.chosen !== chosen; });
  openDialog(dialog.id);
}, true);
