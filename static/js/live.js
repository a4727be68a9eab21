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

/* The tab says how many requests wait, as the menu does. */
on("htmx:after:swap", () => {
  const waiting = one("nav.side .nav-badge .pill")?.textContent, bare = doc.title.replace(/^\(\d+\+?\) /, "");
  const title = waiting ? `(${waiting}) ${bare}` : bare;
  if (title !== doc.title) doc.title = title;
});
