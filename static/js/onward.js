/* What is decided goes onward only: the answer to one's own decision may come after a push that already tells what became
   of it, and must not take the page back. What it has to say, as that it came too late, is said all the same. */
const reached = ({ dataset: { state, execution } }) => state === "pending" ? 0 : state !== "allowed" ? 5 : ["queued", "running", "unknown", "done"].indexOf(execution === "failed" ? "done" : execution) + 1;

htmx.registerExtension("onward", {
  htmx_before_morph_node(part, { newNode }) {
    if (!part.matches?.(".approval") || !newNode.matches?.(".approval")) return true;
    const to = reached(newNode);
    if (to === 0 || to >= reached(part)) return true;
    const note = one("[data-note]", newNode);
    if (note) one(".outcome", part).append(note);
    return false;
  },
});
