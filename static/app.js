/* What the browser adds to pages that work without it: htmx (joined in front of this file) swaps parts, and this keeps
   focus, speech, countdowns, the live strip, conversations and keys in order. No inline code, no eval, no framework. */
(() => {
  "use strict";

  const doc = document, root = doc.documentElement;
  const one = (selector, from = doc) => from.querySelector(selector);
  const all = (selector, from = doc) => [...from.querySelectorAll(selector)];
  const on = (type, handler, options) => doc.addEventListener(type, handler, options);
  const words = JSON.parse(one("meta[name=words]")?.content || "{}");
  const say = (key, values = {}) => (words[key] || "").replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  const remembered = name => { try { return localStorage.getItem(name); } catch { return null; } };
  const remember = (name, value) => { try { value ? localStorage.setItem(name, value) : localStorage.removeItem(name); } catch { /* private window */ } };

  /* Speech: one sentence at a time, at most one in three seconds, the rest folded into a number. */
  const waiting = [];
  let speaking = 0;

  function announce(text, urgent) {
    if (!text) return;
    if (urgent) { speak("alert", text); return; }
    waiting.push(text);
    if (!speaking) next();
  }

  function next() {
    const text = waiting.shift();
    if (!text) { speaking = 0; return; }
    const folded = waiting.splice(0).length;
    speak("say", folded ? `${text} ${say("more", { n: folded })}` : text);
    speaking = setTimeout(next, 3000);
  }

  function speak(id, text) {
    const region = doc.getElementById(id);
    if (!region) return;
    region.textContent = "";
    requestAnimationFrame(() => { region.textContent = text; });
  }

  const heard = doc.getElementById("heard");
  if (heard) new MutationObserver(() => {
    const lines = [...heard.children].map(line => line.textContent.trim());
    heard.replaceChildren();
    lines.forEach(line => announce(line));
  }).observe(heard, { childList: true });

  /* Live strip: says in words whether the page is kept up to date, and knows when to stop trying. */
  const gone = [401, 403, 410];

  function live(strip) {
    let lost = 0, ticking = 0, ended = false;

    function show(state) {
      if (strip.dataset.state === state) return;
      if (state === "live" && strip.dataset.state === "reconnecting") announce(say("live"));
      if (state === "reconnecting" && strip.dataset.state === "live") announce(say("lost"));
      strip.dataset.state = state;
    }

    function out() {
      ended = true;
      clearInterval(ticking);
      show("out");
      announce(say("signedOut"), true);
    }

    function countDown(ms) {
      const until = Date.now() + ms, field = one("[data-live-in]", strip);
      const tick = () => { const left = Math.ceil((until - Date.now()) / 1000); field.textContent = left > 1 ? say("secs", { n: left }) : ""; };
      clearInterval(ticking);
      ticking = setInterval(tick, 1000);
      tick();
    }

    /* The stream's own retries begin once it was open; until then they are ours. */
    function retry() {
      if (ended || strip._htmx?.sse) return;
      const wait = Math.min(500 * 2 ** lost++, 60000) * (.7 + Math.random() * .6);
      show("reconnecting");
      countDown(wait);
      setTimeout(connect, wait);
    }

    function connect() {
      if (ended || strip._htmx?.sse || !strip.isConnected) return;
      htmx.ajax("GET", strip.getAttribute("hx-sse:connect"), { source: strip });
    }

    strip.addEventListener("htmx:sse:before:connection", event => {
      const { connection } = event.detail;
      if (ended) { connection.cancelled = true; event.preventDefault(); return; }
      if (!connection.attempt) return;
      show(doc.hidden ? "paused" : "reconnecting");
      countDown(Math.min(500 * 2 ** (connection.attempt - 1), 60000));
    });
    strip.addEventListener("htmx:sse:after:connection", () => { lost = 0; clearInterval(ticking); show("live"); });
    strip.addEventListener("htmx:sse:error", event => { if (gone.includes(event.detail.status)) out(); else if (!ended) show("reconnecting"); });
    strip.addEventListener("htmx:sse:close", event => { if (event.detail.reason === "ended") retry(); });
    strip.addEventListener("htmx:error", event => { if (event.target === strip) retry(); });
    strip.addEventListener("htmx:after:request", event => {
      const answer = event.detail.ctx.response.raw;
      if (gone.includes(answer.status) || answer.redirected) out(); else retry();
    });
    strip.addEventListener("signed-out", out);
    on("visibilitychange", () => { if (!ended) show(doc.hidden ? "paused" : strip._htmx?.sse ? "connecting" : "reconnecting"); });
    addEventListener("online", () => { lost = 0; connect(); });
  }
  all("[data-live]").forEach(live);

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

  function settleFocus() {
    if (!held || held.element.isConnected || (doc.activeElement && doc.activeElement !== doc.body)) { held = null; return; }
    const around = held.path.map(id => doc.getElementById(id)).find(Boolean) || doc;
    const home = around.matches?.("[data-focus-home]") ? around : one("[data-focus-home]", around) || around.closest?.("article, section, main")?.querySelector("[data-focus-home], h1, h2") || one("main h1");
    home?.focus();
    announce(say("gone"));
    held = null;
  }

  /* Requests: a button says what it does while it does it; what did not arrive is said beside the form. */
  function labelOf(button) { return one("span", button) || button; }

  on("htmx:before:request", event => {
    const { request, sourceElement } = event.detail.ctx, button = request.submitter;
    one(".form-failed", sourceElement)?.remove();
    if (!button?.dataset?.busy) return;
    const label = labelOf(button);
    button.dataset.busyNow = label.textContent;
    label.textContent = button.dataset.busy;
  });
  on("htmx:finally:request", event => {
    const button = event.detail.ctx.request?.submitter;
    if (button?.isConnected && button.dataset.busyNow) {
      labelOf(button).textContent = button.dataset.busyNow;
      delete button.dataset.busyNow;
      if (doc.activeElement === doc.body) queueMicrotask(() => button.focus());
    }
  });
  on("htmx:error", event => {
    const form = event.detail.ctx?.sourceElement;
    if (!form?.matches?.("form[method=post]") || form.id === "composer") return;
    const note = doc.createElement("p");
    note.className = "error form-failed";
    note.textContent = say("fail");
    form.append(note);
    announce(say("fail"), true);
  });

  /* Time: spans tick, deadlines speak at five minutes and at one. */
  const units = [[60, 1, "s"], [3600, 60, "min"], [172800, 3600, "h"], [Infinity, 86400, "d"]];

  function coarse(seconds) {
    const away = Math.abs(seconds), [, size, name] = units.find(([below]) => away < below);
    return `${Math.floor(away / size)} ${name}`;
  }

  function tick() {
    const now = Date.now();
    all("[data-countdown]").forEach(element => countdown(element, (Date.parse(element.dataset.countdown) - now) / 1000));
    all("time[data-ago]").forEach(element => {
      const away = (Date.parse(element.dateTime) - now) / 1000;
      if (Math.abs(away) > 604800) return;
      const text = say(away > 0 ? "in" : "ago", { time: coarse(away) });
      if (Math.abs(away) >= 1 && element.textContent !== text) element.textContent = text;
    });
  }

  function countdown(element, left) {
    const field = one("[data-left]", element);
    if (left <= 0) { field.textContent = say("over"); element.dataset.near = "0"; return; }
    field.textContent = say("in", { time: coarse(left) });
    const step = left <= 60 ? "1" : left <= 300 ? "5" : "";
    if (step && element.dataset.near !== step) {
      element.dataset.near = step;
      announce(say("left", { time: coarse(left) }), true);
    }
  }
  setInterval(tick, 1000);

  /* Conversations and logs follow their end while the reader is within reach of it. */
  const reach = 64;

  function follow(scroller) {
    if (scroller._follow) return;
    const toggle = scroller.parentElement.querySelector("[data-log-follow]");
    const jump = scroller.parentElement.querySelector("[data-jump]");
    const list = one("ol", scroller) || scroller;
    const state = scroller._follow = { stick: true, seen: list.children.length };
    const end = () => { scroller.scrollTop = scroller.scrollHeight; };

    function mark() {
      toggle?.setAttribute("aria-pressed", String(state.stick));
      if (state.stick) state.seen = list.children.length;
      if (!jump) return;
      const fresh = list.children.length - state.seen;
      jump.hidden = state.stick;
      const label = labelOf(jump);
      label.dataset.plain ??= label.textContent;
      label.textContent = fresh > 0 ? say("fresh", { n: fresh }) : label.dataset.plain;
    }

    function set(stick) { state.stick = stick; if (stick) end(); mark(); }

    scroller.addEventListener("scroll", () => {
      state.stick = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < reach;
      mark();
    }, { passive: true });
    toggle?.addEventListener("click", () => set(!state.stick));
    jump?.addEventListener("click", () => set(true));
    new MutationObserver(() => { if (state.stick) end(); mark(); }).observe(scroller, { childList: true, subtree: true, characterData: true });
    new ResizeObserver(() => { if (state.stick) end(); }).observe(scroller);
    end();
  }

  /* Composer: Enter sends, what did not arrive stays in the field. */
  const composer = one("#composer"), text = one("#composer-text");

  function note(message) {
    const place = one("#composer-note");
    if (!place) return;
    const line = doc.createElement("span");
    line.className = "error";
    line.textContent = message;
    place.replaceChildren(line);
    announce(message, true);
  }

  text?.addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (text.value.trim()) composer.requestSubmit();
  });
  composer?.addEventListener("htmx:before:request", () => { text.readOnly = true; });
  composer?.addEventListener("htmx:finally:request", event => {
    text.readOnly = false;
    const { response } = event.detail.ctx;
    if (response?.status < 400) { text.value = ""; all("[data-follow]").forEach(scroller => { if (scroller._follow) scroller._follow.stick = true; }); }
    else if (!response || response.status >= 500) note(say("unsent"));
    text.focus();
  });

  /* Toasts stay while one looks at them. */
  function toast(element) {
    if (element._toast) return;
    element._toast = true;
    let timer = 0;
    const leave = () => element.remove(), start = () => { timer = setTimeout(leave, 8000); }, hold = () => clearTimeout(timer);
    element.addEventListener("pointerenter", hold);
    element.addEventListener("pointerleave", start);
    element.addEventListener("focusin", hold);
    element.addEventListener("focusout", start);
    start();
  }
  const flash = doc.getElementById("flash");
  if (flash) doc.getElementById("toasts").append(flash.content);

  /* Clicks: copy, dismiss, print, dialogs, menus. */
  async function copy(button) {
    const label = labelOf(button), was = button._was ??= label.textContent;
    try { await navigator.clipboard.writeText(button.dataset.copy); } catch { return; }
    label.textContent = say("copied");
    announce(say("copied"));
    setTimeout(() => { label.textContent = was; }, 2000);
  }

  on("click", event => {
    const target = event.target.closest("[data-copy], [data-dismiss], [data-print], [data-open], [data-close], .summary a");
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
  };

  /* What needs a hand once it is on the page. */
  function scan() {
    all("[data-follow]").forEach(follow);
    all("[data-toast]").forEach(toast);
    all("input[data-zone]").forEach(field => { field.value ||= Intl.DateTimeFormat().resolvedOptions().timeZone || ""; });
    tick();
  }
  scan();
})();
