package e2e

import "testing"

// StartOwned is Start with a scripted model, and the owner at a browser that may allow.
func StartOwned(t *testing.T, env ...string) (*Hub, *Client, *Page) {
	t.Helper()
	h, c := Start(t, append(StartModel(t).Env(), env...)...)
	p := h.NewPage(t)
	p.SignIn()
	p.EnrolHere()
	return h, c, p
}
