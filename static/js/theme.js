/* Theme: changed at once, kept by the server in a cookie, so that the next page comes in it. */
on("submit", event => {
  const form = event.target.closest("[data-theme-form]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const { value } = event.submitter, body = new URLSearchParams(new FormData(form));
  body.set("theme", value);
  if (value) root.dataset.theme = value; else delete root.dataset.theme;
  all("[data-theme-form] button").forEach(button => button.setAttribute("aria-pressed", String(button.value === value)));
  fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => announce(say("fail"), true));
});
