package container_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/container"
)

// inspected is how a container is set up, as the engine tells it.
const inspected = `{
	"Name": "/shop", "RestartCount": 2,
	"State": {"Status": "running", "StartedAt": "2026-03-01T12:00:00Z", "OOMKilled": true},
	"Config": {"Image": "shop:1", "Env": ["PATH=/bin", "DB_PASSWORD=hush"], "Cmd": ["serve"]},
	"HostConfig": {"RestartPolicy": {"Name": "always"}},
	"Mounts": [{"Source": "/srv", "Destination": "/data", "RW": false}],
	"NetworkSettings": {
		"Ports": {"80/tcp": [{"HostIP": "127.0.0.1", "HostPort": "8080"}]}, "Networks": {"web": {"IPAddress": "172.18.0.2"}}
	}
}`

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
	case "/containers/shop/logs":
		if r.URL.Query().Get("tail") != "2" {
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write([]byte("\x01\x00\x00\x00\x00\x00\x00\x06ready\n\x02\x00\x00\x00\x00\x00\x00\x05oops\n"))
	case "/containers/tty/logs":
		_, _ = w.Write([]byte("as it is\n"))
	case "/containers/shop/json":
		_, _ = w.Write([]byte(inspected))
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

// TestEngine_look: the outputs of a container come as one text, and of how it is set up everything but the values of its
// environment.
func TestEngine_look(t *testing.T) {
	t.Parallel()
	_, e := serve(t)
	text, cut, err := e.Logs(t.Context(), "shop", 2)
	if err != nil || cut || string(text) != "ready\noops\n" {
		t.Errorf("log %q, %v, %v", text, cut, err)
	}
	if text, _, err := e.Logs(t.Context(), "tty", 2); err != nil || string(text) != "as it is\n" {
		t.Errorf("log of a terminal %q, %v", text, err)
	}
	d, err := e.Inspect(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%+v", d)
	for _, want := range []string{
		"shop:1", "running", "out of memory", "restarted 2 times", "DB_PASSWORD",
		"/srv → /data (read only)", "127.0.0.1:8080", "web 172.18.0.2", "always",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in %s", want, all)
		}
	}
	if strings.Contains(all, "hush") {
		t.Errorf("a value is told: %s", all)
	}
	if _, _, err := e.Logs(t.Context(), "../x", 2); !errors.Is(err, container.ErrName) {
		t.Errorf("log of what is no name: %v", err)
	}
	if _, err := e.Inspect(t.Context(), "nobody"); !errors.Is(err, container.ErrNone) {
		t.Errorf("inspect one that is not there: %v", err)
	}
}
