/* A download: the server seals the file stretch by stretch to a key that lives for this one, and the browser puts it
   together. */
async function download(form, progress) {
  const { download: name, version, server, method = "files.read" } = form.dataset, size = Number(form.dataset.size);
  const own = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const ownBytes = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey)), key = base64url(ownBytes), parts = [];
  let offset = 0;
  do {
    const query = new URLSearchParams({ path: name, version, offset, key });
    const answer = await insist(() => fetch(`${form.getAttribute("action")}?${query}`));
    const box = new Uint8Array(await answer.arrayBuffer()), purpose = { method, server, name, version, offset };
    const part = await unsealPart(own.privateKey, ownBytes, purpose, box);
    if (!part.byteLength && offset < size) throw new Error(say("fail"));
    parts.push(new Blob([part]));
    offset += part.byteLength;
    progress(offset, size);
  } while (offset < size);
  const link = doc.createElement("a");
  link.href = URL.createObjectURL(new Blob(parts, { type: "application/octet-stream" }));
  link.download = name.split("/").pop();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

on("submit", event => {
  const form = event.target;
  if (!form.matches("[data-download]")) return;
  event.preventDefault();
  const bar = one("progress", form), button = event.submitter || one("button", form), label = labelOf(button);
  busily(form, button, async () => {
    bar.hidden = false;
    try {
      await download(form, (done, size) => {
        bar.value = size ? 100 * done / size : 100;
        label.textContent = `${button.dataset.busy} ${Math.round(bar.value)} %`;
      });
    } finally { bar.hidden = true; }
  });
});
