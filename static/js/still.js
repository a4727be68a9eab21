/* A card that is decided keeps its height while it is in view: what stands below, perhaps under a finger, stays there. In a
   conversation it gives its room up when the answer goes on below it, unless another card waits there. The height is held by
   an animation that does not move, which what is pushed next leaves alone. */
const tall = new Map();
const heldParts = card => [card, one(".approval-band", card)];
const nameOf = part => part.closest(".approval").id + part.className;
const measure = card => heldParts(card).forEach(part => part && tall.set(nameOf(part), part.getBoundingClientRect().height));
on("htmx:before:swap", () => all(".approval[data-state=pending]").forEach(measure));
const inView = new IntersectionObserver(list => list.filter(e => !e.isIntersecting).forEach(({ target }) => {
  inView.unobserve(target);
  letGo(target);
}));
const letGo = card => heldParts(card).forEach(part => part?.getAnimations().forEach(hold => hold.cancel()));
const isBelow = (card, other) => !card.contains(other) && card.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;

function giveRoom(card) {
  const turn = card.closest(".turn");
  if (!turn || card._gives) return;
  card._gives = new MutationObserver(changes => {
    const writes = changes.some(change => change.target.closest(".flow, .tail") && [...change.addedNodes].some(node => isBelow(card, node)));
    if (!writes && !one(".turn-foot[data-state=done]", turn) || all(".approval[data-state=pending]").some(other => isBelow(card, other))) return;
    card._gives.disconnect();
    letGo(card);
  });
  card._gives.observe(turn, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-state"] });
}

function keepStill() {
  all(".approval:not([data-state=pending])").forEach(card => heldParts(card).forEach(part => {
    const name = part && nameOf(part);
    if (!tall.has(name)) return;
    part.animate({ minBlockSize: Array(2).fill(tall.get(name) + "px") }, { duration: 1, fill: "forwards" });
    tall.delete(name);
    inView.observe(card);
    giveRoom(card);
  }));
}
