/* A card that is decided keeps its height while it is in view: what stands below, perhaps under a finger, stays there.
   The height is held by an animation that does not move, which what is pushed next leaves alone. */
const tall = new Map();
const heldParts = card => [card, one(".approval-band", card)];
const nameOf = part => part.closest(".approval").id + part.className;
const sizes = new ResizeObserver(list => list.forEach(e => tall.set(nameOf(e.target), e.borderBoxSize[0].blockSize)));
const inView = new IntersectionObserver(list => list.filter(e => !e.isIntersecting).forEach(({ target }) => {
  inView.unobserve(target);
  heldParts(target).forEach(part => part.getAnimations().forEach(hold => hold.cancel()));
}));

function keepStill() {
  all(".approval").forEach(card => heldParts(card).forEach(part => {
    const name = nameOf(part);
    if (card.dataset.state === "pending") sizes.observe(part);
    else if (tall.has(name)) {
      sizes.unobserve(part);
      part.animate({ minBlockSize: Array(2).fill(tall.get(name) + "px") }, { duration: 1, fill: "forwards" });
      tall.delete(name);
      inView.observe(card);
    }
  }));
}
