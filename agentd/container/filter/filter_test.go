package filter_test

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/container/filter"
)

// engine keeps what reached it, and says of a container what Docker says.
type engine struct {
	mu    sync.Mutex
	asked []string
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("X-Registry-Auth"))
	if strings.HasSuffix(r.URL.Path, "/shop/json") {
		_, _ = w.Write([]byte(`{"Id":"0123","Config":{"Image":"shop:1","Env":["PATH=/bin","DB_PASSWORD=hush=hush"]},` +
			`"State":{"Status":"running"}}`))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func before(t *testing.T) (*engine, http.Handler) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "docker.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{}
	srv := httptest.NewUnstartedServer(e)
	if err := srv.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	srv.Listener = ln
	srv.Start()
	t.Cleanup(srv.Close)
	return e, filter.New(socket, slog.New(slog.DiscardHandler))
}

func ask(f http.Handler, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Registry-Auth", "mine")
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// TestFilter: what agentd asks reaches the engine, and nothing of the request besides.
func TestFilter(t *testing.T) {
	t.Parallel()
	e, f := before(t)
	let := []string{
		"GET /containers/json?all=1 ", "GET /containers/shop/logs?stderr=1&stdout=1&tail=200&timestamps=1 ", "POST /containers/shop/start ",
		"POST /containers/shop/stop?t=10 ", "POST /containers/shop/restart?t=10 ",
	}
	for _, one := range let {
		method, path, _ := strings.Cut(strings.TrimSpace(one), " ")
		if w := ask(f, method, path, `{"HostConfig":{"Privileged":true}}`); w.Code != http.StatusNoContent {
			t.Errorf("%s: %d %s", one, w.Code, w.Body)
		}
	}
	if !slices.Equal(e.asked, let) {
		t.Errorf("the engine was asked %q", e.asked)
	}
}

// TestFilter_refuses: everything else of the engine's interface is out of reach, in every spelling.
func TestFilter_refuses(t *testing.T) {
	t.Parallel()
	e, f := before(t)
	for _, one := range []string{
		"POST /containers/create", "POST /containers/shop/exec", "POST /exec/1/start", "DELETE /containers/shop",
		"POST /containers/shop/kill",
		"POST /containers/shop/attach", "GET /containers/shop/archive?path=/", "PUT /containers/shop/archive?path=/",
		"GET /containers/shop/export",
		"POST /containers/shop/update", "POST /containers/shop/rename?name=x", "POST /containers/prune", "POST /images/create?fromImage=x",
		"POST /build", "GET /images/json", "GET /info", "GET /version", "GET /v1.44/containers/json", "POST /v1.44/containers/create",
		"POST /volumes/create", "GET /events", "POST /swarm/init", "GET /containers/shop/logs?follow=1",
		"GET /containers/shop/logs?tail=all",
		"GET /containers/json?all=1&filters=x", "POST /containers/shop/start?detachKeys=x", "POST /containers/shop/stop?t=1&t=2",
		"POST /containers/shop%2F..%2Fcreate/start", "POST /containers/-x/start", "GET /containers/a%3Fb/json",
		"GET /containers/shop/json?size=1",
		"POST /containers/json", "GET /containers/shop/start", "GET /containers/json?all=1;x=2", "GET /",
	} {
		method, path, _ := strings.Cut(one, " ")
		if w := ask(f, method, path, "{}"); w.Code < 300 {
			t.Errorf("%s: %d", one, w.Code)
		}
	}
	for _, path := range []string{"//containers//create", "/containers/../containers/create", "/containers/shop/../create"} {
		w := ask(f, http.MethodPost, path, "{}")
		if w.Code < 300 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	if len(e.asked) > 0 {
		t.Errorf("the engine was asked %q", e.asked)
	}
}

// TestFilter_inspect: how a container is, is told without the values of its environment.
func TestFilter_inspect(t *testing.T) {
	t.Parallel()
	_, f := before(t)
	w := ask(f, http.MethodGet, "/containers/shop/json", "")
	var got struct {
		Config struct {
			Image string
			Env   []string
		}
		State struct{ Status string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	if got.Config.Image != "shop:1" || got.State.Status != "running" || !slices.Equal(got.Config.Env, []string{"PATH=", "DB_PASSWORD="}) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(w.Body.String(), "hush") {
		t.Errorf("a value is told: %s", w.Body)
	}
}

// TestFilter_away: where no engine answers, that is what is said.
func TestFilter_away(t *testing.T) {
	t.Parallel()
	f := filter.New(filepath.Join(t.TempDir(), "docker.sock"), slog.New(slog.DiscardHandler))
	if w := ask(f, http.MethodGet, "/containers/json", ""); w.Code != http.StatusBadGateway {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
