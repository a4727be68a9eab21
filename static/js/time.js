/* Time: spans tick, deadlines speak at five minutes and at one. */
const units = [[60, 1, "s"], [3600, 60, "min"], [172800, 3600, "h"], [Infinity, 86400, say("day")]];

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
