package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/leakscan"
	"gatehouse/app/web/api/apitest"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db/dbtest"
)

// waitLimit is how long a test waits for what must happen, on a machine that others keep busy. A secret on a page is hidden
// after half of it.
const waitLimit = time.Minute

// bin holds the shipped programs, built once for the whole test run by TestMain.
var bin string

// hub is a running `hub dev` with data of its own.
type hub struct {
	*rig.Hub
	spec *apitest.Spec // what it says about its API: every answer and event that a test gets is held against it
	dsn  string        // of its database in the cluster that tests share; empty: it has a Postgres of its own
	log  sharedLog     // of that cluster

	planting sync.Mutex
	planted  []leakscan.Canary // what may stand in no log and no table
	searched bool              // whether that was looked for
}

// ownPostgres is the environment of a hub that starts a Postgres of its own, as it does for a newcomer. That costs as much as
// the hub itself: others have a database in the cluster that tests share.
const ownPostgres = "DATABASE_URL="

// startHub starts `hub dev` in an empty folder with extra environment and waits until it says that it is ready.
// At the end of the test everything it started is stopped. A process left behind fails the test, and so does a planted
// value in a log or a table.
func startHub(t *testing.T, env ...string) *hub {
	t.Helper()
	h := &hub{}
	if !slices.Contains(env, ownPostgres) {
		h.dsn, h.log = dbtest.NewDSN(t), openSharedLog(t)
		env = append(env, "DATABASE_URL="+h.dsn)
	}
	var err error
	if h.Hub, err = rig.New(bin, env...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.stop(t)
		h.wantNoProcess(t)
		if t.Failed() {
			t.Logf("hub's last lines:\n%s", h.Output())
		}
		if err := h.Remove(); err != nil {
			t.Error(err)
		}
	})
	h.start(t)
	h.plantDemo()
	for _, kv := range env {
		if key, ok := strings.CutPrefix(kv, "MODEL_API_KEY="); ok {
			h.plant("the key of the model", key)
		}
	}
	h.spec = h.described(t)
	return h
}

// described reads what the hub says about its API.
func (h *hub) described(t *testing.T) *apitest.Spec {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL("/api/openapi.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := send(req)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := apitest.Load(t.Context(), a.body)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func (h *hub) start(t *testing.T) {
	t.Helper()
	if err := h.Start(); err != nil {
		t.Fatal(err)
	}
}

// stop ends the hub as Ctrl-C does and waits until it has ended. Before, unless the test has failed anyway, it looks for
// planted values.
func (h *hub) stop(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		h.search(t)
	}
	if err := h.Stop(); err != nil {
		t.Error(err)
	}
}

// kill ends the hub process alone, at once, as a crash does.
func (h *hub) kill(t *testing.T) {
	t.Helper()
	if err := h.Kill(); err != nil {
		t.Fatal(err)
	}
}

// wantNoProcess fails when a process that works on this hub's data still runs.
func (h *hub) wantNoProcess(t *testing.T) {
	t.Helper()
	for _, pid := range h.pids(t, "") {
		t.Errorf("process %d is left behind", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// pids lists the processes whose command line names this hub's data and contains part.
func (h *hub) pids(t *testing.T, part string) []int {
	t.Helper()
	found, err := h.PIDs(part)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// until waits until cond holds; what says what was waited for.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	if !rig.Until(ctx, cond) {
		t.Fatalf("not within %s: %s", waitLimit, what)
	}
}
