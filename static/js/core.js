/* What the other parts use: finding elements, words of the catalogue, what this browser remembers. */
const doc = document, root = doc.documentElement;
const one = (selector, from = doc) => from.querySelector(selector);
const all = (selector, from = doc) => [...from.querySelectorAll(selector)];
const on = (type, handler, options) => doc.addEventListener(type, handler, options);
const words = JSON.parse(one("meta[name=words]")?.content || "{}");
const say = (key, values = {}) => (words[key] || "").replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const remembered = name => { try { return localStorage.getItem(name); } catch { return null; } };
const remember = (name, value) => { try { value ? localStorage.setItem(name, value) : localStorage.removeItem(name); } catch { /* private window */ } };
