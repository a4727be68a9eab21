package e2e

import "testing"

// StartOwned is Start with a scripted model, and the owner at a browser that may allow.
func StartOwned(t *testing.T, env ...string) (*Hub, *Client, *Page) {
	t.Helper()
	h, c := Start(t, append(StartModel(t).Env(), env...)...)
	p := h.NewPage(t)
	p.SignIn()
	p.EnrolHere()
	h.AwaitSettings(t)
	return h, c, p
}

// AwaitSettings waits until the demo's server runs its newest settings: what a page signs before that is for settings which change
// under it.
func (h *Hub) AwaitSettings(t *testing.T) {
	t.Helper()
	conn := h.Connect(t)
	defer func() { _ = conn.Close(t.Context()) }()
	Until(t, "the server runs the newest settings", func() (there bool) {
		err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM config_states s JOIN configs c USING (server_id, version)
			WHERE version = (SELECT max(version) FROM configs n WHERE n.server_id = s.server_id))`).Scan(&there)
		return err == nil && there
	})
}
