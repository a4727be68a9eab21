/* Boxes: a value is sealed here for the server, and by the server for this browser. What travels between can read none.
   The bytes are described at wire.SecretBox. */
const joined = (...parts) => Uint8Array.from(parts.flatMap(part => [...part]));
const curve = { name: "ECDH", namedCurve: "P-256" }, boxInfo = "gatehouse-secret-v1";

async function boxKey(own, otherBytes, from, to, use, info = boxInfo) {
  const other = await crypto.subtle.importKey("raw", otherBytes, curve, false, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: other }, own, 256);
  const input = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveBits"]);
  const okm = new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: joined(from, to), info: utf8Of(info) }, input, 352));
  return { key: await crypto.subtle.importKey("raw", okm.slice(0, 32), "AES-GCM", false, [use]), iv: okm.slice(32) };
}

const boxText = purpose => utf8Of([boxInfo, purpose.method, purpose.server, purpose.name, purpose.nonce].join("\n"));

async function seal(to, purpose, value) {
  const own = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
  const from = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey));
  const { key, iv } = await boxKey(own.privateKey, to, from, to, "encrypt");
  const plain = new Uint8Array(Math.ceil((value.length + 1) / 64) * 64);
  plain.set(value);
  plain[value.length] = 0x80;
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: boxText(purpose) }, key, plain);
  plain.fill(0);
  return base64url(joined(from, new Uint8Array(sealed)));
}

async function unseal(own, ownBytes, purpose, box) {
  const raw = bytesOf(box), from = raw.slice(0, 65);
  const { key, iv } = await boxKey(own, from, from, ownBytes, "decrypt");
  const plain = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: boxText(purpose) }, key, raw.slice(65)));
  return plain.slice(0, plain.lastIndexOf(0x80));
}

/* A one-time link: everything comes from one random key that stands behind the # and is never sent. */
async function linkKeys(raw) {
  const input = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
  const part = async info => new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: utf8Of(info) }, input, 256));
  return { take: base64url(await part("gatehouse-link-take-v1")), key: await crypto.subtle.importKey("raw", await part("gatehouse-link-box-v1"), "AES-GCM", false, ["encrypt", "decrypt"]) };
}
