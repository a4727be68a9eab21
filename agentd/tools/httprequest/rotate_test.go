package httprequest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

// keyed is a service with one key, which can be changed by whoever has it.
type keyed struct {
	mu    sync.Mutex
	key   string
	asked int
	mood  int // a status that it answers to changes with, in place of doing them
}

func (k *keyed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	body, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("Authorization") != "Bearer "+k.key:
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodPut && r.URL.Path == "/key" && k.mood != 0:
		w.WriteHeader(k.mood)
	case r.Method == http.MethodPut && r.URL.Path == "/key":
		var in struct{ Old, New string }
		if json.Unmarshal(body, &in) == nil && in.Old == k.key {
			k.key = in.New
		}
	}
}

func TestRotator(t *testing.T) {
	t.Parallel()
	service := &keyed{key: canary("first")}
	srv := httptest.NewServer(service)
	t.Cleanup(srv.Close)
	w := vaulttest.New(t, func(*vaulttest.World) []gate.Tool { return nil })
	e := entry("crm", srv.URL, map[string]any{"type": "bearer", "ref": "crm.key"})
	e["rotate"] = map[string]any{"method": "PUT", "path": "/key", "body": `{"old":"{{old}}","new":"{{new}}"}`, "check": "/me"}
	register(t, w.Dir, e)
	r := httprequest.NewRotator(registry.New(w.Dir))
	rotate := func(to secret.Value) (wire.SecretInfo, error) {
		return w.Vault.Rotate(t.Context(), r, vault.Rotation{Name: "crm.key", Value: to, By: "owner", For: "test"})
	}
	here := (&sink{Server: srv}).bind("Authorization", "")
	elsewhere := here
	elsewhere.Port = 1
	w.Set("crm.key", canary("first"), elsewhere, wire.SecretBinding{Tool: "env_update", Field: "shop/.env#KEY"})
	if _, err := rotate(secret.Value{}); !errors.Is(err, vault.ErrNowhere) || service.asked != 0 {
		t.Errorf("bound elsewhere: %v, asked %d times", err, service.asked)
	}
	w.Set("crm.key", canary("first"), here)
	i, err := rotate(secret.Value{})
	if err != nil || i.Version != 3 || service.key == canary("first") {
		t.Fatalf("%+v, %v", i, err)
	}
	if ok, err := r.Works(t.Context(), "crm.key", secret.New(canary("first"))); ok || err != nil {
		t.Errorf("the old key still works: %v", err)
	}
	if i, err = rotate(secret.New(`quote " and \ slash`)); err != nil || service.key != `quote " and \ slash` {
		t.Errorf("%+v, %v", i, err)
	}
	service.mood = http.StatusConflict
	if i, err = rotate(secret.New(canary("third"))); !errors.Is(err, vault.ErrNotApplied) || strings.Contains(err.Error(), "canary") {
		t.Errorf("%+v, %v", i, err)
	}
	service.mood = http.StatusBadGateway
	if _, err = rotate(secret.New(canary("fourth"))); !errors.Is(err, vault.ErrUnclear) || strings.Contains(err.Error(), "canary") {
		t.Errorf("a proxy does not know: %v", err)
	}
	srv.Close()
	if _, err = rotate(secret.New(canary("fifth"))); !errors.Is(err, vault.ErrUnclear) || strings.Contains(err.Error(), "canary") {
		t.Errorf("%v", err)
	}
	if r.Applies("crm.other") {
		t.Error("knows how to change anything")
	}
}
