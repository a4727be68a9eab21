/* What needs a hand once it is on the page. */
function scan() {
  all("[data-follow]").forEach(follow);
  all("[data-toast]").forEach(toast);
  all("input[data-zone]").forEach(field => { field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || ""; });
  keepStill();
  tick();
}
scan();
window.gatehouse = { announce, labelOf, openDialog, raises, tell, untell }; // for the second script
