package secret

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"

	"gatehouse/cmd/hub/e2e"
)

// TestSecrets is the life of a secret in people's hands: given, seen, copied, replaced, shared once, asked from somebody
// else. Everything that reaches the hub, that it stores and that it logs is kept and searched: no value is in it, in any
// encoding.
func TestSecrets(t *testing.T) {
	wire := newTap(t)
	h, c := e2e.Start(t, append(wire.env, e2e.OwnPostgres)...)
	p := h.NewPage(t)
	p.SignIn()
	p.Until("the portal", `location.pathname === "/app"`)
	p.EnrolHere()
	watched, values := p.Tab(), map[string]string{}
	t.Run("named", func(t *testing.T) { p.T = t; named(p) })
	t.Run("short", func(t *testing.T) { p.T = t; warnedOfShort(p) })
	t.Run("give", func(t *testing.T) { p.T = t; values["shop.api_key"] = p.GiveSecret("shop.api_key") })
	t.Run("another key", func(t *testing.T) { p.T = t; anotherKey(p, "shop.never") })
	t.Run("reveal", func(t *testing.T) { watched.T = t; reveal(watched, "shop.api_key", values["shop.api_key"]) })
	t.Run("copy", func(t *testing.T) { p.T = t; copied(p, "shop.api_key", values["shop.api_key"]) })
	t.Run("generate", func(t *testing.T) { p.T = t; values["shop.cookie"] = generate(p, "shop.cookie") })
	t.Run("rotate", func(t *testing.T) {
		p.T = t
		values["shop.cookie again"] = rotate(p, "shop.cookie", values["shop.cookie"])
	})
	t.Run("share once", func(t *testing.T) { p.T = t; shareOnce(p, h, "shop.api_key", values["shop.api_key"]) })
	t.Run("ask somebody", func(t *testing.T) { p.T = t; values["shop.smtp_password"] = askSomebody(p, h, "shop.smtp_password") })
	t.Run("audit", func(t *testing.T) { p.T = t; audited(p) })
	t.Run("hide", func(t *testing.T) { watched.T = t; hidden(watched) })
	c.AwaitLink()
	wire.wantNothing(t, h, values)
}

// named: the script makes the names that the hub makes, and shows each below the field.
func named(p *e2e.Page) {
	raw, err := os.ReadFile("../../../../app/credential/testdata/names.json")
	if err != nil {
		p.T.Fatal(err)
	}
	var table []struct{ Words, Kind, Name string }
	if err := json.Unmarshal(raw, &table); err != nil || len(table) == 0 {
		p.T.Fatalf("%d names: %v", len(table), err)
	}
	p.Open("/app/credentials")
	for _, c := range table {
		got := e2e.Eval[string](p, `(() => {
			const form = document.querySelector("#add form[data-seal]"), field = form.elements.name;
			form.elements.kind.value = `+e2e.Quote(c.Kind)+`;
			field.value = `+e2e.Quote(c.Words)+`;
			field.dispatchEvent(new Event("input", { bubbles: true }));
			return form.querySelector("[data-name-made] code").checkVisibility() && form.querySelector("[data-name-made] code").textContent;
		})()`)
		if got != c.Name {
			p.T.Errorf("%q is %q, the hub makes it %q", c.Words, got, c.Name)
		}
	}
	p.Write("#add [name=name]", "WiFi password")
	p.Shots("credential-named")
}

// inWords is a technical name as a person says it: "Shop smtp password".
func inWords(name string) string {
	said := strings.NewReplacer(".", " ", "_", " ").Replace(name)
	return strings.ToUpper(said[:1]) + said[1:]
}

// warnedOfShort: a value that cannot be told from other text is taken, with a warning while it is typed.
func warnedOfShort(p *e2e.Page) {
	p.Open("/app/credentials")
	for _, c := range []struct {
		typed  string
		warned bool
	}{{"1234", true}, {"12345678", false}, {"1234567", true}} {
		p.Write("#add [data-value]", c.typed)
		p.Until("warned: "+c.typed, `document.querySelector("#add [data-short]").checkVisibility() === `+strconv.FormatBool(c.warned))
		if c.typed == "1234" {
			p.Shot("credential-short")
		}
	}
}

// anotherKey: whoever passes on a key of his own gets nothing sealed to it, under the name and fingerprint of the server's
// or as another server.
func anotherKey(p *e2e.Page, name string) {
	for said, as := range map[string]string{
		"a different encryption key": "", "a different server": `, server_id: "019aabb0-0000-7000-8000-000000000000"`,
	} {
		p.Open("/app/credentials")
		e2e.Eval[bool](p, `(() => {
			const honest = window.fetch;
			window.asked = [];
			window.fetch = async (path, ...rest) => {
				if (String(path).startsWith("/app/credentials")) window.asked.push(path); // the page's own stream may open at any moment
				const answer = await honest(path, ...rest);
				if (!String(path).endsWith("/open")) return answer;
				const own = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
				const raw = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey));
				const key = btoa(String.fromCharCode(...raw)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
				return Response.json({ ...await answer.json(), key`+as+` });
			};
			return true;
		})()`)
		p.Write("#add [name=name]", name)
		p.Write("#add [data-value]", "never to arrive")
		p.Click("#add form[data-seal] button.primary")
		p.See("#add .form-failed", said)
		if asked := e2e.Eval[[]string](p, `window.asked`); len(asked) != 1 {
			p.T.Errorf("%s: the page went on to ask %q", said, asked)
		}
		at := e2e.Eval[string](p, `location.pathname + " " + document.querySelector("#add input[name=box]").value`)
		if at != "/app/credentials " {
			p.T.Errorf("%s: it stands at %q", said, at)
		}
	}
}

// unlock types the password that is asked for each time.
func unlock(p *e2e.Page) { p.Write("#reveal [name=password]", p.Hub.Demo.Customer.Password) }

func reveal(p *e2e.Page, name, value string) {
	p.Open("/app/credentials/" + name)
	p.Write("#reveal [name=password]", "not the password of anybody")
	p.Click("#reveal button[value=show]")
	p.See("#reveal .form-failed", "")
	unlock(p)
	p.Click("#reveal button[value=show]")
	p.Until("the value", `document.querySelector("[data-plain]").textContent === `+e2e.Quote(value))
	p.See("[data-left]", "")
	p.Shot("credential-shown")
	e2e.Eval[bool](p, `(() => {
		const place = document.querySelector("[data-shown]"), from = Date.now();
		new MutationObserver(() => { if (place.hidden) window.shownFor ??= Date.now() - from }).observe(place, { attributes: true });
		return true;
	})()`)
}

// hidden: a value that was shown is hidden after half a minute, by itself.
func hidden(p *e2e.Page) {
	p.Until("the value is hidden again",
		`document.querySelector("[data-shown]").hidden && document.querySelector("[data-plain]").textContent === ""`)
	if ms := e2e.Eval[int](p, `window.shownFor`); ms < 20_000 {
		p.T.Errorf("it was shown for %d ms", ms)
	}
}

// copied: the value goes into the clipboard; no part of the page ever shows it.
func copied(p *e2e.Page, name, value string) {
	mayPaste(p)
	p.Open("/app/credentials/" + name)
	e2e.Eval[bool](p, `(() => {
		const all = document.documentElement;
		const look = () => {
			window.everShown ||= all.innerHTML.includes(`+e2e.Quote(value)+`) || !document.querySelector("[data-shown]").hidden;
		};
		new MutationObserver(look).observe(all, { subtree: true, childList: true, characterData: true, attributes: true });
		window.everShown = false;
		return true;
	})()`)
	unlock(p)
	p.Click("#reveal button[value=copy]")
	p.See("#reveal .form-said", "")
	e2e.Eval[bool](p, `(navigator.clipboard.readText().then(
		text => { window.pasted = text }, why => { window.pasted = String(why) }), true)`)
	p.Until("the value in the clipboard", `window.pasted === `+e2e.Quote(value))
	if e2e.Eval[bool](p, `window.everShown`) {
		p.T.Error("the value was shown")
	}
	p.Shot("credential-copied")
}

// mayPaste lets the page use the clipboard, as its owner would when asked.
func mayPaste(p *e2e.Page) {
	p.T.Helper()
	p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			_, err := cdp.Call(ctx, t, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
				Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: cdpbrowser.PermissionSettingGranted,
				BrowserContextID: chromedp.FromContext(p.Ctx).BrowserContextID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// shown fetches the value of a secret as a person does.
func shown(p *e2e.Page, name string) string {
	p.T.Helper()
	p.Open("/app/credentials/" + name)
	unlock(p)
	p.Click("#reveal button[value=show]")
	p.Until("the value", `document.querySelector("[data-plain]").textContent`)
	return e2e.Eval[string](p, `document.querySelector("[data-plain]").textContent`)
}

func generate(p *e2e.Page, name string) string {
	p.Open("/app/credentials")
	p.Click("#add summary")
	p.Write("#add [name=new]", inWords(name))
	p.Click("#add button[value=generate]")
	p.Until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	value := shown(p, name)
	p.Hub.Plant(name, value)
	if len(value) != 32 {
		p.T.Errorf("made %d characters", len(value))
	}
	return value
}

// rotate: a service that the server cannot change itself is changed by a person, who gives the new value; the former one
// can be had again.
func rotate(p *e2e.Page, name, before string) (value string) {
	p.Open("/app/credentials/" + name)
	p.Click("#rotate button[value=rotate]")
	p.See(".notice[data-kind=bad]", "")
	value = e2e.Random()
	p.Hub.Plant(name+" again", value)
	p.Click("#rotate summary")
	p.Write("#rotate [data-value]", value)
	p.Click("#rotate form[data-seal] button.primary")
	p.See("#versions", "Version 2")
	if got := shown(p, name); got != value {
		p.T.Errorf("the vault has another value of %d characters", len(got))
	}
	p.Open("/app/credentials/" + name)
	p.Click("#versions button[value=rollback]")
	p.See("#versions", "Version 3")
	if got := shown(p, name); got != before {
		p.T.Error("the former value is not back")
	}
	return value
}

// shareOnce: robots that look at the address spoil nothing, one person sees the value, the next one does not.
func shareOnce(p *e2e.Page, h *e2e.Hub, name, value string) {
	p.Open("/app/credentials/" + name)
	unlock(p)
	p.Click("#reveal button[value=share]")
	p.Until("the link", `document.querySelector("#reveal [data-address]").textContent`)
	link := e2e.Eval[string](p, `document.querySelector("#reveal [data-address]").textContent`)
	p.Shot("credential-shared")
	path := link[strings.Index(link, "/s/"):]
	robot := h.NewPage(p.T)
	for range 5 {
		robot.Open(path).See("main", name)
	}
	first := h.NewPage(p.T).Open(path)
	first.Click("form[data-link] button")
	first.Until("the value", `document.querySelector("[data-plain]").textContent === `+e2e.Quote(value))
	first.Until("nothing more to press", `document.querySelector("form[data-link] button").hidden`)
	first.Shot("secret-link")
	h.NewPage(p.T).Open(path).See("main", "used or has expired")
}

// askSomebody: a link takes a value from somebody who is not signed in.
func askSomebody(p *e2e.Page, h *e2e.Hub, name string) (value string) {
	value = e2e.Random()
	h.Plant(name, value)
	p.Open("/app/credentials")
	p.Click("#add summary")
	p.Write("#add [name=ask]", inWords(name))
	p.Click("#add form[data-share] button")
	p.Until("the link", `document.querySelector("#add [data-address]").textContent`)
	link := e2e.Eval[string](p, `document.querySelector("#add [data-address]").textContent`)
	other := h.NewPage(p.T).Open(link[strings.Index(link, "/s/"):])
	other.Write("[data-value]", value)
	other.Click("form[data-link] button")
	other.Until("that it has arrived", `!document.querySelector("[data-done]").hidden`)
	other.Shot("secret-given")
	sealedFor := e2e.Eval[string](other, `document.querySelector("[data-fingerprint]").innerText`)
	if got := shown(p, name); got != value {
		p.T.Errorf("the vault has another value of %d characters", len(got))
	}
	p.Open("/app/server")
	key := e2e.Eval[string](p, `document.querySelector("#seal-key code").innerText`)
	if len(key) < 32 || !strings.Contains(sealedFor, key) {
		p.T.Errorf("it was %q, and the server's key is %q", sealedFor, key)
	}
	p.Shot("server-key")
	return value
}

func audited(p *e2e.Page) {
	p.Open("/app/credentials/shop.api_key")
	for _, act := range []string{"Value given", "Shown"} {
		p.See("#audit", act)
	}
	p.Shot("credential-audit")
}
