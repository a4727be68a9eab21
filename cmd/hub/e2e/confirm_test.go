package e2e

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestConfirm: an owner who has not confirmed their address reads on Today and in the settings what they miss, has the link sent
// again, follows it, and is asked no more.
func TestConfirm(t *testing.T) {
	t.Parallel()
	slot(t)
	h := startHub(t)
	conn, err := pgx.Connect(t.Context(), h.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }() // it was only written to once
	if _, err := conn.Exec(t.Context(), "UPDATE users SET verified_at = NULL"); err != nil {
		t.Fatal(err)
	}
	p := h.newPage(t)
	p.signIn("/auth/sign-in", h.Demo.Customer.Email, h.Demo.Customer.Password)
	const send = "main form[action='/auth/verify'] button"
	p.open("/app/settings")
	p.see("main", "Please confirm "+h.Demo.Customer.Email)
	p.shots("confirm-settings")
	p.open("/app")
	p.see("main", "Please confirm "+h.Demo.Customer.Email)
	p.shots("confirm-today")
	p.leave(send)
	p.see("body", "A new link is on its way")
	p.shots("confirm-sent")
	p.confirmsAddress(h)
	p.open("/app")
	p.see("main", "Today")
	if eval[bool](p, "!!document.querySelector("+quote(send)+")") {
		t.Error("the page still asks for what was done")
	}
}
