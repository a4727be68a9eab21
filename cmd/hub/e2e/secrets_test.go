package e2e

import (
	"context"
	"strconv"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// TestSecrets is the life of a secret in people's hands: given, seen, copied, replaced, shared once, asked from somebody
// else. Everything that reaches the hub, that it stores and that it logs is kept and searched: no value is in it, in any
// encoding.
func TestSecrets(t *testing.T) {
	wire := newTap(t)
	h, c := parallelHub(t, append(wire.env, ownPostgres)...)
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	p.until("the portal", `location.pathname === "/app"`)
	p.enrolHere(h)
	values := map[string]string{}
	t.Run("short", func(t *testing.T) { p.t = t; warnedOfShort(p) })
	t.Run("give", func(t *testing.T) { p.t = t; values["shop.api_key"] = give(p, "shop.api_key") })
	t.Run("another key", func(t *testing.T) { p.t = t; anotherKey(p, "shop.never") })
	t.Run("reveal", func(t *testing.T) { p.t = t; reveal(p, "shop.api_key", values["shop.api_key"]) })
	t.Run("copy", func(t *testing.T) { p.t = t; copied(p, "shop.api_key", values["shop.api_key"]) })
	t.Run("generate", func(t *testing.T) { p.t = t; values["shop.cookie"] = generate(p, "shop.cookie") })
	t.Run("rotate", func(t *testing.T) {
		p.t = t
		values["shop.cookie again"] = rotate(p, "shop.cookie", values["shop.cookie"])
	})
	t.Run("share once", func(t *testing.T) { p.t = t; shareOnce(p, h, "shop.api_key", values["shop.api_key"]) })
	t.Run("ask somebody", func(t *testing.T) { p.t = t; values["shop.smtp_password"] = askSomebody(p, h, "shop.smtp_password") })
	t.Run("audit", func(t *testing.T) { p.t = t; audited(p) })
	c.awaitLink()
	wire.wantNothing(t, h, values)
}

// enrolHere gives this browser a key that may allow, with the code that the terminal shows.
func (p *page) enrolHere(h *hub) {
	p.t.Helper()
	p.open("/app/settings/approvers")
	code, err := h.EnrolCode()
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("[data-code]", code)
	p.click("form[data-enrol] button[value=browser]")
	p.see("[data-own-keys]", "")
	p.until("the key of this browser", `document.querySelector("[data-own]:not([hidden])")`)
}

// warnedOfShort: a value that cannot be told from other text is taken, with a warning while it is typed.
func warnedOfShort(p *page) {
	p.open("/app/credentials")
	for _, c := range []struct {
		typed  string
		warned bool
	}{{"1234", true}, {"12345678", false}, {"1234567", true}} {
		p.write("#add [data-value]", c.typed)
		p.until("warned: "+c.typed, `document.querySelector("#add [data-short]").checkVisibility() === `+strconv.FormatBool(c.warned))
		if c.typed == "1234" {
			p.shot("credential-short")
		}
	}
}

func give(p *page, name string) (value string) {
	value = random()
	p.hub.plant(name, value)
	p.open("/app/credentials")
	p.shot("credentials-empty")
	p.write("#add [name=name]", name)
	p.write("#add [data-value]", value)
	p.click("#add form[data-seal] button.primary")
	p.until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	p.shot("credential")
	return value
}

// anotherKey: whoever passes on a key of his own gets nothing sealed to it, under the name and fingerprint of the server's
// or as another server.
func anotherKey(p *page, name string) {
	for said, as := range map[string]string{"another key": "", "another server": `, server_id: "019aabb0-0000-7000-8000-000000000000"`} {
		p.open("/app/credentials")
		eval[bool](p, `(() => {
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
		p.write("#add [name=name]", name)
		p.write("#add [data-value]", "never to arrive")
		p.click("#add form[data-seal] button.primary")
		p.see("#add .form-failed", said)
		if asked := eval[[]string](p, `window.asked`); len(asked) != 1 {
			p.t.Errorf("%s: the page went on to ask %q", said, asked)
		}
		if at := eval[string](p, `location.pathname + " " + document.querySelector("#add input[name=box]").value`); at != "/app/credentials " {
			p.t.Errorf("%s: it stands at %q", said, at)
		}
	}
}

// unlock types the password that is asked for each time.
func unlock(p *page) { p.write("#reveal [name=password]", p.hub.Demo.Customer.Password) }

func reveal(p *page, name, value string) {
	p.open("/app/credentials/" + name)
	p.write("#reveal [name=password]", "not the password of anybody")
	p.click("#reveal button[value=show]")
	p.see("#reveal .form-failed", "")
	unlock(p)
	p.click("#reveal button[value=show]")
	p.until("the value", `document.querySelector("[data-plain]").textContent === `+quote(value))
	p.see("[data-left]", "")
	p.shot("credential-shown")
	p.until("the value is hidden again", `document.querySelector("[data-shown]").hidden && document.querySelector("[data-plain]").textContent === ""`)
}

// copied: the value goes into the clipboard; no part of the page ever shows it.
func copied(p *page, name, value string) {
	p.mayPaste()
	p.open("/app/credentials/" + name)
	eval[bool](p, `(() => {
		const look = () => { window.everShown ||= document.documentElement.innerHTML.includes(`+quote(value)+`) || !document.querySelector("[data-shown]").hidden; };
		new MutationObserver(look).observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true });
		window.everShown = false;
		return true;
	})()`)
	unlock(p)
	p.click("#reveal button[value=copy]")
	p.see("#reveal .form-said", "")
	eval[bool](p, `(navigator.clipboard.readText().then(text => { window.pasted = text }, why => { window.pasted = String(why) }), true)`)
	p.until("the value in the clipboard", `window.pasted === `+quote(value))
	if eval[bool](p, `window.everShown`) {
		p.t.Error("the value was shown")
	}
	p.shot("credential-copied")
}

// mayPaste lets the page use the clipboard, as its owner would when asked.
func (p *page) mayPaste() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, name := range []string{"clipboard-read", "clipboard-write"} {
			_, err := cdp.Call(ctx, t, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
				Permission: &cdpbrowser.PermissionDescriptor{Name: name}, Setting: cdpbrowser.PermissionSettingGranted, BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// shown fetches the value of a secret as a person does.
func shown(p *page, name string) string {
	p.t.Helper()
	p.open("/app/credentials/" + name)
	unlock(p)
	p.click("#reveal button[value=show]")
	p.until("the value", `document.querySelector("[data-plain]").textContent`)
	return eval[string](p, `document.querySelector("[data-plain]").textContent`)
}

func generate(p *page, name string) string {
	p.open("/app/credentials")
	p.click("#add summary")
	p.write("#add [name=new]", name)
	p.click("#add button[value=generate]")
	p.until("the page of the secret", `location.pathname === "/app/credentials/`+name+`"`)
	value := shown(p, name)
	p.hub.plant(name, value)
	if len(value) != 32 {
		p.t.Errorf("made %d characters", len(value))
	}
	return value
}

// rotate: a service that the server cannot change itself is changed by a person, who gives the new value; the former one
// can be had again.
func rotate(p *page, name, before string) (value string) {
	p.open("/app/credentials/" + name)
	p.click("#rotate button[value=rotate]")
	p.see(".notice[data-kind=bad]", "")
	value = random()
	p.hub.plant(name+" again", value)
	p.click("#rotate summary")
	p.write("#rotate [data-value]", value)
	p.click("#rotate form[data-seal] button.primary")
	p.see("#versions", "Version 2")
	if got := shown(p, name); got != value {
		p.t.Errorf("the vault has another value of %d characters", len(got))
	}
	p.open("/app/credentials/" + name)
	p.click("#versions button[value=rollback]")
	p.see("#versions", "Version 3")
	if got := shown(p, name); got != before {
		p.t.Error("the former value is not back")
	}
	return value
}

// shareOnce: robots that look at the address spoil nothing, one person sees the value, the next one does not.
func shareOnce(p *page, h *hub, name, value string) {
	p.open("/app/credentials/" + name)
	unlock(p)
	p.click("#reveal button[value=share]")
	p.until("the link", `document.querySelector("#reveal [data-address]").textContent`)
	link := eval[string](p, `document.querySelector("#reveal [data-address]").textContent`)
	p.shot("credential-shared")
	path := link[strings.Index(link, "/s/"):]
	for range 5 {
		h.newPage(p.t).open(path).see("main", name)
	}
	first := h.newPage(p.t).open(path)
	first.click("form[data-link] button")
	first.until("the value", `document.querySelector("[data-plain]").textContent === `+quote(value))
	first.until("nothing more to press", `document.querySelector("form[data-link] button").hidden`)
	first.shot("secret-link")
	h.newPage(p.t).open(path).see("main", "used or has run out")
}

// askSomebody: a link takes a value from somebody who is not signed in.
func askSomebody(p *page, h *hub, name string) (value string) {
	value = random()
	h.plant(name, value)
	p.open("/app/credentials")
	p.click("#add summary")
	p.write("#add [name=ask]", name)
	p.click("#add form[data-share] button")
	p.until("the link", `document.querySelector("#add [data-address]").textContent`)
	link := eval[string](p, `document.querySelector("#add [data-address]").textContent`)
	other := h.newPage(p.t).open(link[strings.Index(link, "/s/"):])
	other.write("[data-value]", value)
	other.click("form[data-link] button")
	other.until("that it has arrived", `!document.querySelector("[data-done]").hidden`)
	other.shot("secret-given")
	sealedFor := eval[string](other, `document.querySelector("[data-fingerprint]").innerText`)
	if got := shown(p, name); got != value {
		p.t.Errorf("the vault has another value of %d characters", len(got))
	}
	p.open("/app/server")
	if key := eval[string](p, `document.querySelector("#seal-key code").innerText`); len(key) < 32 || !strings.Contains(sealedFor, key) {
		p.t.Errorf("it was %q, and the server's key is %q", sealedFor, key)
	}
	p.shot("server-key")
	return value
}

func audited(p *page) {
	p.open("/app/credentials/shop.api_key")
	for _, act := range []string{"Value given", "Shown"} {
		p.see("#audit", act)
	}
	p.shot("credential-audit")
}
