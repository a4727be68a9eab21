/* Channels. The password of a mailbox leaves this page sealed for the server (wire.ChannelChange); all else that is typed is signed. */
const { seal } = window.gatehouse;
const servers = ["imap", "smtp"];

/* A domain with letters beyond ASCII is signed as mail servers write it. */
function plainAddress(text) {
  const at = text.lastIndexOf("@"), domain = text.slice(at + 1);
  if (/^[\x21-\x7e]*$/.test(domain) || /[\s/?#:@\\%]/.test(domain)) return text.toLowerCase();
  try {
    return text.slice(0, at + 1).toLowerCase() + new URL(`http://${domain}`).hostname;
  } catch { return text.toLowerCase(); }
}

/* Of a messenger, the account that a token is for is signed; it stands in the token, or in a field of its own. */
function chatted(form, act) {
  act.chat ||= {};
  for (const field of form.elements) {
    const name = field.name?.match(/^chat_(\w+)$/)?.[1];
    if (!name) continue;
    act.chat[name] = form.elements.namedItem(field.name).value.trim();
    if (!act.chat[name]) delete act.chat[name]; // as the server writes what it checks
  }
  for (const field of all("[data-secret]", form)) {
    const typed = field.value.trim();
    if (!typed || !field.dataset.account) continue;
    act.chat.account = typed.match(new RegExp(field.dataset.account))?.[1];
    if (!act.chat.account) delete act.chat.account;
  }
  if (!Object.keys(act.chat).length) delete act.chat;
}

/* How a channel that is open to everybody deals with strangers. What is empty is not signed. */
function stranged(form, act) {
  const value = name => form.elements.namedItem(name)?.value;
  if (value("stranger_language") === undefined) return;
  act.strangers = {};
  if (act.policy === "open" && value("stranger_replies") === "direct") act.strangers.replies = true;
  if (value("stranger_language")) act.strangers.language = value("stranger_language");
  if (!Object.keys(act.strangers).length) delete act.strangers;
  one("[data-strangers]", form).hidden = act.policy !== "open";
}

/* What is sealed: the one secret, or an object of several. */
function secretOf(form) {
  const typed = all("[data-secret]", form).map(field => [field.dataset.secret, field.value.trim()]);
  if (typed.length > 1) return typed.some(([, text]) => text) ? JSON.stringify(Object.fromEntries(typed)) : "";
  return one("[data-secret]", form)?.dataset.secret ? typed[0][1] : one("[data-secret]", form)?.value;
}

/* What is typed is part of what is signed. */
function written(form) {
  const act = JSON.parse(form.dataset.changeBody), value = name => form.elements.namedItem(name)?.value.trim();
  for (const name of ["agent", "policy", "anyone", "address", "text"]) if (value(name) !== undefined) act[name] = value(name);
  if (value("approvals") !== undefined) {
    if (value("approvals")) act.approvals = value("approvals");
    else delete act.approvals; // as the server writes what it checks
  }
  if (act.policy !== "open" && act.do === "put") act.anyone = "";
  const anyone = form.elements.namedItem("anyone");
  if (anyone) anyone.closest(".field").hidden = act.policy !== "open";
  stranged(form, act);
  if (value("owner") !== undefined) act.owner = value("owner") === "owner";
  if (act.do === "put") {
    act.address = "";
    if (act.channel !== "email") chatted(form, act);
  }
  if (act.do === "put" && act.channel === "email") {
    for (const name of ["provider", "address", "user", "auth_serv"]) act.mail[name] = value(`mail_${name}`);
    act.mail.address = plainAddress(act.mail.address);
    act.mail.user ||= act.mail.address;
    for (const name of servers) {
      act.mail[name] = { host: value(`${name}_host`).toLowerCase(), port: Number(value(`${name}_port`)), tls: value(`${name}_tls`) };
    }
  } else if (act.address && act.channel === "email") act.address = plainAddress(act.address);
  form.dataset.changeBody = one("input[name=act]", form).value = JSON.stringify(act);
  return act;
}

/* A provider that is chosen fills in its servers. */
function fill(form) {
  const known = JSON.parse(form.dataset.providers).find(p => p.ID === form.elements.namedItem("mail_provider").value);
  if (!known) return;
  const set = (name, value) => { form.elements.namedItem(name).value = value; };
  for (const [name, at] of [["imap", known.IMAP], ["smtp", known.SMTP]]) {
    set(`${name}_host`, at.host);
    set(`${name}_port`, at.port);
    set(`${name}_tls`, at.tls);
  }
  set("mail_auth_serv", known.AuthServ);
  const help = one("[data-app-password]", form);
  help.hidden = !known.AppPass;
  one("a", help).href = known.AppPass;
}
const channelForm = form => form?.dataset?.channel !== undefined;
for (const type of ["input", "change"]) on(type, event => {
  const form = event.target.form;
  if (!channelForm(form)) return;
  if (event.target.name === "mail_provider") fill(form);
  written(form);
});
all("form[data-channel]").forEach(written);

/* Before the signature, which is made once the form comes here a second time. */
addEventListener("submit", async event => {
  const form = event.target, button = event.submitter;
  if (!channelForm(form) || form._signed) return;
  if (form._sealed) { delete form._sealed; return; }
  event.preventDefault();
  event.stopImmediatePropagation();
  await busily(form, button, async () => {
    written(form);
    const secret = secretOf(form), act = JSON.parse(form.dataset.changeBody);
    if (secret) {
      const opening = await opened(form, "channel.change", `channel.${act.channel}`);
      one("input[name=box]", form).value = await seal(opening.key, opening.purpose, utf8Of(secret));
      one("input[name=nonce]", form).value = opening.nonce;
    }
    form._sealed = true;
  });
  if (!form._sealed) return;
  await wait(0); // no form is sent while its event is still under way, and all before may have been fast
  form.requestSubmit(button);
}, true);
