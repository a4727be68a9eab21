package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// TestAdminKey: an owner gives the server their own SSH key while it is not set up, sees its fingerprint, and may take it back. What is no
// public key is said at its field, and a private one is not sent back; once the server is set up it is refused in words.
func TestAdminKey(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	const (
		key   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZD"
		print = "SHA256:"
	)
	kept := func() (key string) {
		t.Helper()
		err := h.DB.Pool.QueryRow(t.Context(), "SELECT admin_key FROM orders WHERE customer_id = $1", of.ID).Scan(&key)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	panel := func() string {
		t.Helper()
		page := b.Get("/app/server")
		portaltest.WantSound(t, "/app/server", page.Document)
		return page.Find("#ssh-key").Text()
	}
	if text := panel(); !strings.Contains(text, "No SSH key") || strings.Contains(text, print) {
		t.Errorf("without a key it says %q", text)
	}
	for typed, says := range map[string]string{
		"hello": "no public SSH key", `command="id" ` + key: "without options",
		"-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNz": "private key",
	} {
		page := b.Post("/app/server/ssh-key", url.Values{"admin_key": {typed}})
		field := page.Find("#ssh-key")
		if page.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(field.Text(), says) || kept() != "" {
			t.Errorf("%q: %d %q", typed, page.StatusCode, field.Text())
		}
		if strings.Contains(page.Source, "b3BlbnNz") {
			t.Error("a private key is sent back")
		}
	}
	if page := b.Post("/app/server/ssh-key", url.Values{"admin_key": {key + " me@laptop"}}); page.StatusCode != http.StatusSeeOther ||
		kept() != key {
		t.Fatalf("%d, kept %q", page.StatusCode, kept())
	}
	if text := panel(); !strings.Contains(text, print) {
		t.Errorf("with a key it says %q", text)
	}
	stale := func(typed string) string {
		t.Helper()
		late := h.Owner(t, of)
		if _, err := h.DB.Pool.Exec(t.Context(), "UPDATE signins SET fresh_at = now() - interval '1 hour'"); err != nil {
			t.Fatal(err)
		}
		page := late.Post("/app/server/ssh-key", url.Values{"admin_key": {typed}})
		if to := page.Header.Get("Location"); page.StatusCode != http.StatusSeeOther ||
			!strings.Contains(to, "/auth/sign-in?") || kept() != key {
			t.Fatalf("without a fresh sign-in: %d %s, kept %q", page.StatusCode, to, kept())
		}
		said := ""
		for range 2 { // it is there once
			form := late.Get("/app/server").Find("#ssh-key form")
			said += form.Text() + form.Find("[name=admin_key]").AttrOr("value", "") + form.Find("textarea").Text()
		}
		return said
	}
	const another = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEgIxC8XWcP1zLyyMoGNgP0G2yUfU8Gr1zBpJ4dsaNZE"
	if text := stale(another); strings.Count(text, another) != 1 || !strings.Contains(text, "not kept yet") {
		t.Errorf("after signing in again the form says %q", text)
	}
	if text := stale("-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNz"); strings.Contains(text, "b3BlbnNz") {
		t.Errorf("a private key was kept: %q", text)
	}
	b = h.Owner(t, of)
	setUp(t, h, of)
	page := b.Post("/app/server/ssh-key", url.Values{"admin_key": {""}})
	if page.StatusCode != http.StatusConflict || !strings.Contains(page.Find("main").Text(), "hub cannot get in") || kept() != key {
		t.Errorf("after the set-up: %d %q, kept %q", page.StatusCode, page.Find("main").Text(), kept())
	}
	if text := panel(); !strings.Contains(text, print) || !strings.Contains(text, "set up") {
		t.Errorf("after the set-up it says %q", text)
	}
}

// setUp has the customer's order fulfilled at once.
func setUp(t *testing.T, h *portaltest.Hub, of portaltest.Customer) {
	t.Helper()
	tx, err := h.DB.Pool.Begin(t.Context())
	portaltest.Must(t, err)
	_, err = tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica") // the guards want each order to go its way
	portaltest.Must(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE orders SET state = 'FULFILLED', fulfilled_at = now(), server_id = $2 WHERE customer_id = $1",
		of.ID, of.Server)
	portaltest.Must(t, err)
	portaltest.Must(t, tx.Commit(t.Context()))
}
