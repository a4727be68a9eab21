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
