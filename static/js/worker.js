/* The service worker of the portal, a script of its own: it shows what push services bring, and a page of its own where
   there is no way to the hub. It keeps the files of its list and nothing else: no page, no content. static/worker.go writes
   the list above it: offline (the page), files, store (the name of the cache), icon, badge. */
addEventListener("install", event => event.waitUntil((async () => {
  await (await caches.open(store)).addAll(files);
  await skipWaiting();
})()));
addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== store) await caches.delete(name);
  await clients.claim();
})()));

addEventListener("fetch", event => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(offline)));
  else if (files.includes(pathname)) event.respondWith(caches.match(pathname).then(kept => kept || fetch(request)));
});

addEventListener("push", event => event.waitUntil(show(event.data.json())));

/* One notification says all that waits, so a newer one takes the place of an older one. When nothing waits any more it goes
   away: shown first, as browsers want to see one for each message, then closed. */
async function show(note) {
  const tag = note.kind, before = await registration.getNotifications({ tag });
  if (before.some(shown => shown.data.time > note.time)) return;
  await registration.showNotification(note.title, {
    tag, body: note.text, icon, badge, silent: !note.loud, renotify: note.loud, timestamp: note.time, data: { path: note.path, time: note.time },
  });
  if (tag !== "waiting") return;
  if (!note.count) for (const shown of await registration.getNotifications({ tag })) shown.close();
  await navigator.setAppBadge?.(note.count).catch(() => { /* not an installed app */ });
}

addEventListener("notificationclick", event => {
  event.notification.close();
  const to = new URL(event.notification.data.path, location.origin);
  if (to.origin === location.origin) event.waitUntil(open(to.href));
});

/* A window that shows the page already comes to the front; any other is left alone: somebody may be writing in it. */
async function open(href) {
  const all = await clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = all.find(client => client.url.split("#")[0] === href);
  return there ? there.focus() : clients.openWindow(href);
}
