package e2e

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

const mate = "mate@example.net"

// TestInside is an owner who counts a colleague's address as inside the business. That lets agents do more, so that the
// server wants a signature: without one, or with one that somebody else made, mail to the colleague is asked as before.
func TestInside(t *testing.T) {
	h, c, p := ownedHub(t)
	c.mailsMate("secretary", true)
	t.Run("no address", func(t *testing.T) { p.t = t; notAnAddress(p) })
	t.Run("without a key", func(t *testing.T) { insideUnsigned(t, h, c) })
	t.Run("forged", func(t *testing.T) { p.t = t; insideForged(p, c) })
	t.Run("signed", func(t *testing.T) { p.t = t; insideSigned(p, c) })
	t.Run("removed", func(t *testing.T) { p.t = t; insideRemoved(p, c) })
}

// mailsMate lets an agent write to the colleague, which is asked first or is not. What is asked is denied.
func (c *client) mailsMate(agent string, asked bool) {
	c.t.Helper()
	args := map[string]any{"to": mate, "subject": "Opening hours", "text": "We open at nine."}
	run := c.say(agent, script(c.t, call(tool("message", args)), step{Say: "I tried."}))
	s := c.denyAll(run)
	n := 0
	for _, e := range s.events {
		if e.kind == wire.EventApproval {
			n++
		}
	}
	if rs := c.receipts(run); n > 0 != asked || count(rs, "call.finished", "message") > 0 == asked {
		c.t.Errorf("%s writes to %s: asked %d times, receipts %v", agent, mate, n, types(rs))
	}
}

func notAnAddress(p *page) {
	for _, text := range []string{"@example.net", "mate@example.net,evil@example.com", "Mate <mate@example.net>"} {
		p.open("/app/permissions/inside?address=" + text)
		p.see("#add", "Type one e-mail address")
		p.until("nothing to sign", `!document.querySelector("#sign")`)
	}
}

// typeInside asks what adding the address means. It is compared in lower case, and so it is signed.
func typeInside(p *page) {
	p.t.Helper()
	p.open("/app/permissions/inside")
	p.write("#add [name=address]", "Mate@Example.NET")
	p.leave("#add button")
	p.see("#sign", mate)
}

func insideUnsigned(t *testing.T, h *hub, c *client) {
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	typeInside(p)
	p.leave("#sign button")
	p.see(".notice[data-kind=bad]", "needs the signature")
	p.until("no such address", `!document.querySelector("[data-address='`+mate+`']")`)
	p.shot("inside-unsigned")
	c.mailsMate("secretary", true)
}

// insideForged: what the hub lets through, the server checks. A stranger's key, and a stranger who claims the owner's.
func insideForged(p *page, c *client) {
	stranger, err := wire.NewSigner()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, key := range []string{stranger.KeyID, p.hub.Demo.Approver.KeyID} {
		typeInside(p)
		version, err := strconv.ParseInt(eval[string](p, `document.querySelector("#sign form").dataset.version`), 10, 64)
		if err != nil {
			p.t.Fatal(err)
		}
		at := time.Now().UTC().Truncate(time.Second)
		body, err := canonical.Of(mate)
		if err != nil {
			p.t.Fatal(err)
		}
		sig, err := stranger.Sign(wire.ChangeText(p.hub.Demo.ServerID, wire.ChangeInside, canonical.Sum(body), version, at), at)
		if err != nil {
			p.t.Fatal(err)
		}
		sig.KeyID = key
		raw, err := json.Marshal(sig)
		if err != nil {
			p.t.Fatal(err)
		}
		eval[bool](p, `(f => { f.elements.signature.value = `+quote(string(raw))+`; f._signed = true; f.requestSubmit(f.querySelector("button")); return true })(document.querySelector("#sign form"))`)
		p.see("#inside .notice[data-kind=bad]", "Your server refused the last change")
		p.see("#inside .notice[data-kind=bad]", mate+" counts as inside, which takes the owner's signature")
		p.see("[data-address='"+mate+"']", "Does not count")
		p.shots("inside-refused")
		c.mailsMate("secretary", true)
	}
	p.leave("[data-address='" + mate + "'] button[value=remove]")
	p.until("no such address", `!document.querySelector("[data-address='`+mate+`']") && !document.querySelector("#inside .notice[data-kind=bad]")`)
}

func insideSigned(p *page, c *client) {
	typeInside(p)
	p.shots("inside-sign")
	p.leave("#sign button")
	p.see("[data-address='"+mate+"']", "Counts as inside")
	p.shots("inside-counts")
	c.mailsMate("secretary", false)
	if m := mailTo(p, p.hub, mate, ""); m.Subject != "Opening hours" {
		p.t.Errorf("sent %q", m.Subject)
	}
}

// insideRemoved: less takes no key, so that any browser of the owner can do it.
func insideRemoved(p *page, c *client) {
	q := p.hub.newPage(p.t)
	q.signIn("/auth/sign-in", p.hub.Demo.Customer.Email, p.hub.Demo.Customer.Password)
	q.open("/app/permissions/inside")
	q.leave("[data-address='" + mate + "'] button[value=remove]")
	p.until("the other page shows it too", `!document.querySelector("[data-address='`+mate+`']")`)
	c.mailsMate("secretary", true)
}
