package story

import (
	"testing"

	"gatehouse/cmd/hub/e2e"
)

// TestConfirm: an owner who has not confirmed their address reads on Today and in the settings what they miss, has the link sent
// again, follows it, and is asked no more.
func TestConfirm(t *testing.T) {
	h, _ := e2e.Start(t)
	conn := h.Connect(t)
	defer func() { _ = conn.Close(t.Context()) }() // it was only written to once
	if _, err := conn.Exec(t.Context(), "UPDATE users SET verified_at = NULL"); err != nil {
		t.Fatal(err)
	}
	p := h.NewPage(t)
	p.SignIn()
	const send = "main form[action='/auth/verify'] button"
	p.Open("/app/settings")
	p.See("main", "Please confirm "+h.Demo.Customer.Email)
	p.Shots("confirm-settings")
	p.Open("/app")
	p.See("main", "Please confirm "+h.Demo.Customer.Email)
	p.Shots("confirm-today")
	p.Leave(send)
	p.See("body", "A new link is on its way")
	p.Shots("confirm-sent")
	p.ConfirmAddress()
	p.Open("/app")
	p.See("main", "Today")
	if e2e.Eval[bool](p, "!!document.querySelector("+e2e.Quote(send)+")") {
		t.Error("the page still asks for what was done")
	}
}
