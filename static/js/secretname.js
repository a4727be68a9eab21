/* The technical name of what a person names in words, as the hub makes it (app/credential, NameOf): "Ghost admin key" is
   ghost.admin_key. It shows below the field, since agents and receipts call the credential by it. */
const nameWord = "[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?", technicalForm = new RegExp(`^${nameWord}(?:\\.${nameWord})+$`);
const spelled = { ä: "ae", ö: "oe", ü: "ue", ß: "ss", æ: "ae", ø: "oe", œ: "oe", ł: "l" };
const latin = text => text.normalize("NFC").replace(/[äöüßæøœł'’]/g, sign => spelled[sign] || "").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

function technicalName(words, kind = "password") {
  const plain = words.trim().toLowerCase(), [service, ...rest] = latin(plain).match(new RegExp(nameWord, "g")) || [];
  if (technicalForm.test(plain)) return plain;
  if (!service) return words.trim();
  return [service, rest.join("_") || kind].map(part => part.slice(0, 64).replace(/[_-]+$/, "")).join(".");
}

const namedIn = field => technicalName(field.value, one("select[name=kind]", field.form)?.value);

on("input", ({ target }) => {
  const made = target.form && one("[data-name-made]", target.form), field = made && one("[data-name-words] input", target.form);
  if (!field) return;
  made.hidden = !field.value.trim();
  made.lastChild.textContent = namedIn(field);
});
