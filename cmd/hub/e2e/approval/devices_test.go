package approval

import "gatehouse/cmd/hub/e2e"

// otherDevice asks for a key without a code, is vouched for on a device that has one, and allows with it; another one is
// sent away.
func otherDevice(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := h.NewPage(p.T)
	q.SignIn()
	q.Until("the portal", `location.pathname === "/app"`)
	before := len(keys(c))
	ask(q)
	q.Shot("approvers-waiting")
	p.Open("/app/settings/approvers")
	p.Shot("approvers-asked")
	if its, ours := wordsOf(q), wordsOf(p); its != ours {
		p.T.Errorf("the device shows %s, the one that vouches %s", its, ours)
	}
	p.Leave(`#asking button[value=add]`)
	p.See("[data-toast]", "may approve from now on")
	e2e.Until(p.T, "one key more", func() bool { return len(keys(c)) == before+1 })
	q.Until("the answer", `document.querySelector("#keys [data-own]:not([hidden])") && !document.querySelector("#asking, form[data-asks]")`)
	asked := c.Asked(c.Say("secretary", "Email someone@example.com that we open at ten"))
	q.Open("/app/approvals/" + asked.ID)
	q.Click("button[value=allow_once]")
	c.End(asked.RootRunID)
	if r := h.Mails(p.T, "someone@example.com"); len(r) == 0 {
		p.T.Error("what the new device allowed was not done")
	}
	refuseDevice(p, h, c)
}

// refuseDevice sends a device away that nobody vouches for: it stays without a key, and nothing is enrolled.
func refuseDevice(p *e2e.Page, h *e2e.Hub, c *e2e.Client) {
	q := h.NewPage(p.T)
	q.SignIn()
	q.Until("the portal", `location.pathname === "/app"`)
	ask(q)
	before := len(keys(c))
	p.Open("/app/settings/approvers")
	p.Leave(`#asking button[value=refuse]`)
	q.Until("the refusal", `!document.querySelector("#asking") && document.querySelector("form[data-asks]")`)
	if n := len(keys(c)); n != before {
		p.T.Errorf("%d keys after a refusal, %d before", n, before)
	}
}

// wordsOf are the words that a page shows of the device that asks.
func wordsOf(p *e2e.Page) string {
	return e2e.Eval[string](p, `document.querySelector("#asking .key-words strong").textContent`)
}

// ask has this browser make a key and wait for somebody to vouch for it.
func ask(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/settings/approvers")
	p.Click("form[data-asks] button[value=browser]")
	p.Until("its own request",
		`document.querySelector("#asking [data-own]:not([hidden])") && !document.querySelector("#asking form[data-others]:not([hidden])")`)
}
