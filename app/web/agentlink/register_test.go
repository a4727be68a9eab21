package agentlink_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/link"
	"gatehouse/agentd/wire"
	"gatehouse/app/team"
	"gatehouse/app/web/api/apitest"
	"gatehouse/db/dbtest"
)

// signed is an edit with a signature for the version that it makes.
func (h *hub) signed(t *testing.T, c customer, e team.Edit) team.Edit {
	t.Helper()
	st, err := h.teams.State(t.Context(), c.id)
	must(t, err)
	return team.Signed(e, st.Next(), signature(t))
}

func teamEdits() []team.Edit {
	return []team.Edit{team.DefaultLevel(3), team.Level("it-admin", 1), team.External("secretary", "message", true)}
}

func badTeamEdits() []team.Edit {
	return []team.Edit{team.DefaultLevel(4), team.DefaultLevel(0), team.Level("it-admin", -1), team.Level("No Agent", 1), team.External("secretary", "rm -rf", true)}
}

func level(agent string, n int) team.Edit { return team.Level(agent, n) }

// tryRegister registers new keys with a token and gives the status of the answer.
func (h *hub) tryRegister(t *testing.T, token string) int {
	pub, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	seal, _, err := wire.NewSealKey()
	if err != nil {
		t.Error(err)
		return 0
	}
	body, err := json.Marshal(wire.RegisterRequest{Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(pub), SealKey: seal, AgentdVersion: "test"})
	if err != nil {
		t.Error(err)
		return 0
	}
	res, err := http.Post(h.web.URL+link.RegisterPath, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode == http.StatusCreated {
		described(t, res)
	}
	return res.StatusCode
}

// described fails when an answer of the handler is not what the description of the API says of it.
func described(t *testing.T, res *http.Response) {
	t.Helper()
	doc, err := os.ReadFile("../api/openapi.yaml")
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
		return
	}
	spec, err := apitest.Load(t.Context(), doc)
	if err != nil {
		t.Error(err)
		return
	}
	if err := spec.Answer(res.Request.Method, res.Request.URL.Path, res.StatusCode, res.Header.Get("Content-Type"), body); err != nil {
		t.Error(err)
	}
}

// TestRegister_lostAnswer: the hub took the token, and the answer never came. Asking again gets it, with the same keys.
func TestRegister_lostAnswer(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	c := h.newCustomer(t)
	target, err := url.Parse(h.web.URL)
	must(t, err)
	var asked atomic.Int64
	lossy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 2 {
			httputil.NewSingleHostReverseProxy(target).ServeHTTP(w, r)
			return
		}
		httputil.NewSingleHostReverseProxy(target).ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler) // the answer is lost on its way
	}))
	t.Cleanup(lossy.Close)
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	must(t, os.WriteFile(token, []byte(c.token), 0o600))
	log, _ := logger(t, "agentd")
	id, err := link.Register(t.Context(), link.Registration{Hub: lossy.URL, StateDir: dir, TokenFile: token, Version: "test", Log: log})
	must(t, err)
	if id.ServerID != string(c.server) || asked.Load() != 3 {
		t.Fatalf("registered as %s after %d tries", id.ServerID, asked.Load())
	}
	if _, err := os.Stat(token); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the used token is still there: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "identity.json"))
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Fatalf("the keys have mode %04o", info.Mode().Perm())
	}
	again, err := link.Register(t.Context(), link.Registration{Hub: "http://127.0.0.1:1", StateDir: dir, TokenFile: token, Log: log})
	must(t, err)
	if !again.Key.Equal(id.Key) || again.ServerID != id.ServerID || again.Config.Version != 1 {
		t.Fatal("the next start is somebody else")
	}
}

func TestRegister_refused(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	log, _ := logger(t, "agentd")
	dir := t.TempDir()
	_, err := link.Register(t.Context(), link.Registration{Hub: h.web.URL, StateDir: dir, TokenFile: filepath.Join(dir, "none"), Log: log})
	wantErr(t, err, link.ErrNotRegistered)
	token := filepath.Join(dir, "token")
	must(t, os.WriteFile(token, []byte("no such token"), 0o600))
	_, err = link.Register(t.Context(), link.Registration{Hub: h.web.URL, StateDir: dir, TokenFile: token, Log: log})
	var refused *link.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Fatalf("an unknown token: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = link.Register(ctx, link.Registration{Hub: "http://127.0.0.1:1", StateDir: dir, TokenFile: token, Log: log})
	wantErr(t, err, context.Canceled)
	res, err := http.Post(h.web.URL+link.RegisterPath, "application/json", bytes.NewReader([]byte(`{"token":"x","role":"admin"}`)))
	must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusBadRequest {
		t.Fatalf("an unknown field: %d", res.StatusCode)
	}
}
