package container_test

import (
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"gatehouse/agentd/container"
)

// engine answers as Docker's API does, at a socket of its own, and keeps what it was asked.
type engine struct {
	mu    sync.Mutex
	asked []string
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.asked = append(e.asked, r.Method+" "+r.URL.RequestURI())
	e.mu.Unlock()
	switch r.URL.Path {
	case "/containers/json":
		_, _ = w.Write([]byte(`[{"Id":"0123456789abcdef","Names":["/shop"],"Image":"shop:1","State":"running","Created":1700000000,` +
			`"Labels":{"secret":"x"}}]`))
	case "/containers/shop/start":
		w.WriteHeader(http.StatusNotModified)
	case "/containers/shop/stop", "/containers/shop/restart":
		w.WriteHeader(http.StatusNoContent)
	case "/containers/broken/start":
		w.WriteHeader(http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func serve(t *testing.T) (*engine, *container.Engine) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "docker.sock")
	ln, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{}
	srv := &http.Server{Handler: e}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close(); <-done })
	return e, container.New(socket)
}

// TestEngine: containers are listed and acted on by the calls of the API; what is refused or missing is told apart.
func TestEngine(t *testing.T) {
	t.Parallel()
	asked, e := serve(t)
	all, err := e.List(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != "0123456789ab" || all[0].Name != "shop" || all[0].State != "running" {
		t.Fatalf("%+v, %v", all, err)
	}
	for what, err := range map[string]error{
		"start": e.Start(t.Context(), "shop"), "stop": e.Stop(t.Context(), "shop"), "restart": e.Restart(t.Context(), "shop"),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := e.Start(t.Context(), "nobody"); !errors.Is(err, container.ErrNone) {
		t.Errorf("one that is not there: %v", err)
	}
	if err := e.Start(t.Context(), "broken"); err == nil || errors.Is(err, container.ErrNone) {
		t.Errorf("one that does not start: %v", err)
	}
	before := len(asked.asked)
	for _, name := range []string{"", "../images/prune", "a/b", "a?force=1", "-x", "a b"} {
		if err := e.Stop(t.Context(), name); !errors.Is(err, container.ErrName) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if len(asked.asked) != before {
		t.Errorf("what is no name reached the engine: %q", asked.asked[before:])
	}
}

// TestEngine_away: where there is no engine, that is what is said.
func TestEngine_away(t *testing.T) {
	t.Parallel()
	e := container.New(filepath.Join(t.TempDir(), "docker.sock"))
	if _, err := e.List(t.Context()); !errors.Is(err, container.ErrAway) {
		t.Errorf("%v", err)
	}
}
