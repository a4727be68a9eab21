package rule

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/cmd/hub/e2e"
)

const mate = "mate@example.net"

// TestInside is an owner who counts a colleague's address as inside the business. That lets agents do more, so that the
// server wants a signature: without one, or with one that somebody else made, mail to the colleague is asked as before.
func TestInside(t *testing.T) {
	h, c, p := e2e.StartOwned(t)
	mailsMate(c, "secretary", true)
	t.Run("no address", func(t *testing.T) { p.T = t; notAnAddress(p) })
	t.Run("without a key", func(t *testing.T) { insideUnsigned(t, h, c) })
	t.Run("forged", func(t *testing.T) { p.T = t; insideForged(p, c) })
	t.Run("signed", func(t *testing.T) { p.T = t; insideSigned(p, c) })
	t.Run("removed", func(t *testing.T) { p.T = t; insideRemoved(p, c) })
}

// mailsMate lets an agent write to the colleague, which is asked first or is not. What is asked is denied.
func mailsMate(c *e2e.Client, agent string, asked bool) {
	c.T.Helper()
	args := map[string]any{"to": mate, "subject": "Opening hours", "text": "We open at nine."}
	run := c.Say(agent, e2e.ToolScript(c.T, "I tried.", e2e.Tool("message", args)))
	s := c.DecideAll(run, wire.Deny)
	n := 0
	for _, e := range s.Events {
		if e.Kind == wire.EventApproval {
			n++
		}
	}
	if rs := c.Receipts(run); n > 0 != asked || e2e.Count(rs, "call.finished", "message") > 0 == asked {
		c.T.Errorf("%s writes to %s: asked %d times, receipts %v", agent, mate, n, e2e.Types(rs))
	}
}

func notAnAddress(p *e2e.Page) {
	for _, text := range []string{"@example.net", "mate@example.net,evil@example.com", "Mate <mate@example.net>"} {
		p.Open("/app/permissions/inside?address=" + text)
		p.See("#add", "Type one email address")
		p.Until("nothing to sign", `!document.querySelector("#sign")`)
	}
}

// typeInside asks what adding the address means. It is compared in lower case, and so it is signed.
func typeInside(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/permissions/inside")
	p.Write("#add [name=address]", "Mate@Example.NET")
	p.Leave("#add button")
	p.See("#sign", mate)
}

func insideUnsigned(t *testing.T, h *e2e.Hub, c *e2e.Client) {
	p := h.NewPage(t)
	p.SignIn()
	typeInside(p)
	p.Leave("#sign button")
	p.See(".notice[data-kind=bad]", "only on a device that may approve")
	p.Until("no such address", `!document.querySelector("[data-address='`+mate+`']")`)
	p.Shot("inside-unsigned")
	mailsMate(c, "secretary", true)
}

// insideForged: what the hub lets through, the server checks. A stranger's key, and a stranger who claims the owner's.
func insideForged(p *e2e.Page, c *e2e.Client) {
	stranger, err := wire.NewSigner()
	if err != nil {
		p.T.Fatal(err)
	}
	for _, key := range []string{stranger.KeyID, p.Hub.Demo.Approver.KeyID} {
		typeInside(p)
		version, err := strconv.ParseInt(e2e.Eval[string](p, `document.querySelector("#sign form").dataset.version`), 10, 64)
		if err != nil {
			p.T.Fatal(err)
		}
		at := time.Now().UTC().Truncate(time.Second)
		body, err := canonical.Of(mate)
		if err != nil {
			p.T.Fatal(err)
		}
		sig, err := stranger.Sign(wire.ChangeText(p.Hub.Demo.ServerID, wire.ChangeInside, canonical.Sum(body), version, at), at)
		if err != nil {
			p.T.Fatal(err)
		}
		sig.KeyID = key
		raw, err := json.Marshal(sig)
		if err != nil {
			p.T.Fatal(err)
		}
		e2e.Eval[bool](p, `(f => {
			f.elements.signature.value = `+e2e.Quote(string(raw))+`
			f._signed = true
			f.requestSubmit(f.querySelector("button"))
			return true
		})(document.querySelector("#sign form"))`)
		p.See("#inside .notice[data-kind=bad]", "Your server refused the last change")
		p.See("#inside .notice[data-kind=bad]", mate+" counts as inside, which takes the owner's signature")
		p.See("[data-address='"+mate+"']", "Not inside")
		p.Shots("inside-refused")
		mailsMate(c, "secretary", true)
	}
	p.Leave("[data-address='" + mate + "'] button[value=remove]")
	p.Until("no such address",
		`!document.querySelector("[data-address='`+mate+`']") && !document.querySelector("#inside .notice[data-kind=bad]")`)
}

func insideSigned(p *e2e.Page, c *e2e.Client) {
	typeInside(p)
	p.Shots("inside-sign")
	p.Leave("#sign button")
	p.See("[data-address='"+mate+"']", "Inside the business")
	p.Shots("inside-counts")
	mailsMate(c, "secretary", false)
	if m := p.Hub.AwaitMail(p.T, mate, ""); m.Subject != "Opening hours" {
		p.T.Errorf("sent %q", m.Subject)
	}
}

// insideRemoved: less takes no key, so that any browser of the owner can do it.
func insideRemoved(p *e2e.Page, c *e2e.Client) {
	q := p.Hub.NewPage(p.T)
	q.SignIn()
	q.Open("/app/permissions/inside")
	q.Leave("[data-address='" + mate + "'] button[value=remove]")
	p.Until("the other page shows it too", `!document.querySelector("[data-address='`+mate+`']")`)
	mailsMate(c, "secretary", true)
}
