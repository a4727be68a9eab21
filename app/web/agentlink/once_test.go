package agentlink_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/agentlink"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// registration is the body that registers new keys with a token.
func registration(t *testing.T, token string) []byte {
	t.Helper()
	pub, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	seal, _, err := wire.NewSealKey()
	must(t, err)
	body, err := json.Marshal(wire.RegisterRequest{Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(pub), SealKey: seal, AgentdVersion: "test"})
	must(t, err)
	return body
}

func (h *hub) register(t *testing.T, body []byte, key string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.web.URL+link.RegisterPath, bytes.NewReader(body))
	must(t, err)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(b)
}

func withReplays(d *db.DB) func(*agentlink.Deps) {
	return func(deps *agentlink.Deps) { deps.Replays = &db.Idempotency{DB: d} }
}

func TestRegister_idempotencyKey(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := startHub(t, d, withReplays(d))
	c, other := h.newCustomer(t), h.newCustomer(t)
	mine := registration(t, c.token)
	status, first := h.register(t, mine, "k")
	if status != http.StatusCreated || !strings.Contains(first, string(c.server)) {
		t.Fatalf("first: %d %s", status, first)
	}
	if status, again := h.register(t, mine, "k"); status != http.StatusCreated || again != first {
		t.Fatalf("repeat: %d %s", status, again)
	}
	if status, text := h.register(t, registration(t, c.token), "k"); status != http.StatusConflict || strings.Contains(text, "server_id") {
		t.Fatalf("other keys with the same token: %d %s", status, text)
	}
	status, theirs := h.register(t, registration(t, other.token), "k")
	if status != http.StatusCreated || !strings.Contains(theirs, string(other.server)) || strings.Contains(theirs, string(c.server)) {
		t.Fatalf("somebody else with the same Idempotency-Key: %d %s", status, theirs)
	}
}

// TestRegister_keyOfARefusal: a refusal leaves nothing behind, and the key may be used again.
func TestRegister_keyOfARefusal(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := startHub(t, d, withReplays(d))
	body := registration(t, "no such token")
	for range 2 {
		if status, text := h.register(t, body, "k"); status != http.StatusConflict || strings.Contains(text, "idempotency") {
			t.Fatalf("an unknown token: %d %s", status, text)
		}
	}
	var kept int
	must(t, d.Pool.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&kept))
	if kept != 0 {
		t.Fatalf("%d answers to nobody are kept", kept)
	}
}

func TestRegister_bodies(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := startHub(t, d, withReplays(d))
	c := h.newCustomer(t)
	good := string(registration(t, c.token))
	for name, body := range map[string]string{
		"a field in another case": strings.Replace(good, `"token"`, `"Token"`, 1),
		"a field twice":           strings.Replace(good, `{`, `{"token":"x",`, 1),
		"an unknown field":        strings.Replace(good, `{`, `{"role":"admin",`, 1),
		"more text":               good + "{}",
		"no JSON":                 "token",
		"nothing":                 "",
	} {
		for _, key := range []string{"", "k"} {
			if status, text := h.register(t, []byte(body), key); status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
	}
	if status, text := h.register(t, []byte(good), "k"); status != http.StatusCreated {
		t.Fatalf("the token was used up by what was refused: %d %s", status, text)
	}
}
