/* Notifications on this device: the settings turn them on and off here, and the list says which device is this one. */
const pushScope = "/app", installed = matchMedia("(display-mode: standalone)").matches;
const canPush = () => Boolean(navigator.serviceWorker) && "PushManager" in window && "Notification" in window;
const worker = () => navigator.serviceWorker.register("/sw.js", { scope: pushScope });

/* The subscription of this browser, if it has one. */
async function subscription() {
  const here = await navigator.serviceWorker.getRegistration(pushScope);
  return here?.pushManager.getSubscription();
}

/* What the list of devices knows a subscription by; see app/push. */
async function printOf(sub) {
  const { endpoint, keys } = sub.toJSON();
  return base64url(await sha256(utf8Of(`${endpoint}\n${keys.p256dh}\n${keys.auth}`)));
}

/* Which part of the box shows: unable, blocked, off or on. */
async function pushState() {
  if (!canPush()) return "unable";
  const sub = await subscription(), print = sub && await printOf(sub);
  const own = print && all("[data-device]").find(item => item.dataset.device === print);
  if (own) {
    all("[data-own]", own).forEach(part => { part.hidden = false; });
    one("form[data-push-off]", own).addEventListener("submit", event => { event.preventDefault(); turnOff(event.target, sub); });
    return "on";
  }
  return Notification.permission === "denied" ? "blocked" : "off";
}

/* What a device calls itself, for its name until its person says otherwise. */
const platform = () => navigator.userAgentData?.platform || navigator.platform || "";

async function showPush(box) {
  const name = one("[name=name]", box);
  name.value ||= platform();
  const state = await pushState().catch(() => "unable");
  all("[data-push-when]", box).forEach(part => { part.hidden = part.dataset.pushWhen !== state; });
}

/* A browser that subscribed for another key of the hub, as one that was lost, does so again. */
async function subscribe(key) {
  const { pushManager } = await active(await worker());
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(wanted);
  } catch (error) {
    const old = error.name === "InvalidStateError" && await pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return pushManager.subscribe(wanted);
  }
}

/* A worker that was just registered takes a moment to become active; before that nothing can be subscribed to. */
async function active(registration) {
  const coming = registration.installing || registration.waiting;
  if (!registration.active && coming) {
    await new Promise(done => coming.addEventListener("statechange", () => { if (coming.state === "activated" || coming.state === "redundant") done(); }));
  }
  return registration;
}

async function turnOn(form) {
  if (await Notification.requestPermission() !== "granted") return false;
  one("[name=subscription]", form).value = JSON.stringify(await subscribe(form.dataset.key));
  form.submit();
  return true;
}

async function turnOff(form, sub) {
  await sub.unsubscribe().catch(() => { /* the hub forgets it all the same */ });
  form.submit();
}

on("submit", async event => {
  const form = event.target, button = event.submitter;
  if (!form.matches("form[data-push-on]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  untell(form);
  button.disabled = true;
  const went = await turnOn(form).catch(() => null);
  if (went) return;
  button.disabled = false;
  if (went === null) failedHere(form);
  else showPush(form.closest("[data-push]"));
}, true);

function failedHere(form) {
  const line = doc.createElement("p");
  line.className = "error form-failed";
  line.textContent = form.dataset.failed;
  tell(form, line);
  announce(line.textContent, true);
}

all("[data-push]").forEach(showPush);
if (installed && navigator.serviceWorker && one("body.portal")) worker().catch(() => { /* the next page tries again */ });
