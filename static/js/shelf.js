/* What this script takes from the two before it. */
const { announce, boxKey, hex, labelOf, opened, sha256, signHere, tell, untell, utf8Of } = window.gatehouse;
const curve = { name: "ECDH", namedCurve: "P-256" }, fileInfo = "gatehouse-file-v1", partSize = 256 << 10;

/* Stretches of files travel in boxes (wire.SealFile), bound to what they are. */
const fileText = ({ method, server, name, version, offset }) => utf8Of([fileInfo, method, server, name, version, offset].join("\n"));

async function unsealPart(own, ownBytes, purpose, box) {
  const from = box.slice(0, 65), { key, iv } = await boxKey(own, from, from, ownBytes, "decrypt", fileInfo);
  return crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: fileText(purpose) }, key, box.slice(65));
}

const base64url = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const wait = ms => new Promise(done => setTimeout(done, ms));

/* The words of an error page. */
const problemIn = async answer => one("[data-problem]", new DOMParser().parseFromString(await answer.text(), "text/html"))?.textContent.trim() || say("fail");

/* A request that fails on its way is sent again: each is harmless when it comes twice. What the server refuses is final. */
const tries = 6;
async function insist(ask) {
  for (let n = 1; ; n++) {
    let answer, problem;
    try { answer = await ask(); } catch (error) { problem = error; }
    if (answer?.ok) return answer;
    if (answer && answer.status !== 503 && answer.status !== 502) throw Object.assign(new Error(await problemIn(answer)), { refused: true });
    if (n === tries) throw answer ? new Error(await problemIn(answer)) : problem instanceof TypeError ? new Error(say("fail")) : problem;
    await wait(500 * 2 ** n);
  }
}

/* What went wrong stands beside what was pressed. */
function failed(form, problem) {
  const line = doc.createElement("p");
  line.className = "error form-failed";
  line.textContent = problem.name === "OperationError" ? say("notForThis") : problem.message;
  tell(form, line);
  announce(line.textContent, true);
}

/* While something is under way its button says so, and cannot be pressed again. */
async function busily(form, button, work) {
  untell(form);
  const label = button && labelOf(button), was = label?.textContent;
  if (button) { button.disabled = true; label.textContent = button.dataset.busy || was; }
  try { return await work(); } catch (problem) { failed(form, problem); } finally {
    if (button) { button.disabled = false; label.textContent = was; }
  }
}
