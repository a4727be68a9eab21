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
