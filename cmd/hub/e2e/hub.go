package e2e

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gatehouse/agentd/leakscan"
	"gatehouse/agentd/seeded"
	"gatehouse/app/web/api/apitest"
	"gatehouse/cmd/hub/rig"
	"gatehouse/db/dbtest"
)

// Hub is a running `hub dev` with data of its own.
type Hub struct {
	*rig.Hub
	spec *apitest.Spec // what it says about its API: every answer and event that a test gets is held against it
	dsn  string        // of its database in the cluster that tests share; empty: it has a Postgres of its own
	log  sharedLog     // of that cluster

	planting sync.Mutex
	planted  []leakscan.Canary // what may stand in no log and no table
	searched bool              // whether that was looked for
}

// OwnPostgres is the environment of a hub that starts a Postgres of its own, as it does for a newcomer. That costs as much as
// the hub itself: others have a database in the cluster that tests share.
const OwnPostgres = "DATABASE_URL="

// mainJob are the stories of what the product is for: order, chat, decide.
var mainJob = []string{"TestStories", "TestDecisions"}

// Start starts `hub dev` in an empty folder with extra environment, for a test that runs beside others, and gives a client of
// its API. At the end of the test everything it started is stopped. A process left behind fails the test, and so does a planted
// value in a log or a table. Stories take turns; those of the main job run always.
func Start(t *testing.T, env ...string) (*Hub, *Client) {
	t.Helper()
	Turn(t)
	return StartNow(t, env...)
}

// Turn waits for the story's turn among those that run, or leaves it to another run. It is for stories that have more to make
// before they call StartNow.
func Turn(t *testing.T) {
	t.Helper()
	if !slices.Contains(mainJob, t.Name()) {
		seeded.Turn(t)
	}
	t.Parallel()
	slot(t)
}

// StartNow is Start for a story that has called Turn.
func StartNow(t *testing.T, env ...string) (*Hub, *Client) {
	t.Helper()
	h := startHub(t, env...)
	return h, h.API(t)
}

func startHub(t *testing.T, env ...string) *Hub {
	t.Helper()
	h := &Hub{}
	if !slices.Contains(env, OwnPostgres) {
		h.dsn, h.log = dbtest.NewDSN(t), openSharedLog(t)
		env = append(env, "DATABASE_URL="+h.dsn)
	}
	var err error
	if h.Hub, err = rig.New(Programs(t), env...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Stop(t)
		h.WantNoProcess(t)
		if t.Failed() {
			t.Logf("hub's last lines:\n%s", h.Output())
		}
		if err := h.Remove(); err != nil {
			t.Error(err)
		}
	})
	h.Start(t)
	h.plantDemo()
	for _, kv := range env {
		if key, ok := strings.CutPrefix(kv, "MODEL_API_KEY="); ok {
			h.Plant("the key of the model", key)
		}
	}
	h.spec = h.described(t)
	return h
}

// described reads what the hub says about its API.
func (h *Hub) described(t *testing.T) *apitest.Spec {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL("/api/openapi.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Send(req)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := apitest.Load(t.Context(), a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// Start starts the hub again, after Stop or Kill.
func (h *Hub) Start(t *testing.T) {
	t.Helper()
	if err := h.Hub.Start(); err != nil {
		t.Fatal(err)
	}
}

// Stop ends the hub as Ctrl-C does and waits until it has ended. Before, unless the test has failed anyway, it looks for
// planted values.
func (h *Hub) Stop(t *testing.T) {
	t.Helper()
	if !t.Failed() {
		h.search(t)
	}
	if err := h.Hub.Stop(); err != nil {
		t.Error(err)
	}
}

// Kill ends the hub process alone, at once, as a crash does.
func (h *Hub) Kill(t *testing.T) {
	t.Helper()
	if err := h.Hub.Kill(); err != nil {
		t.Fatal(err)
	}
}

// WantNoProcess fails when a process that works on this hub's data still runs.
func (h *Hub) WantNoProcess(t *testing.T) {
	t.Helper()
	for _, pid := range h.PIDs(t, "") {
		t.Errorf("process %d is left behind", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// PIDs lists the processes whose command line names this hub's data and contains part.
func (h *Hub) PIDs(t *testing.T, part string) []int {
	t.Helper()
	found, err := h.Hub.PIDs(part)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Server is a path below the folder of the demo's server.
func (h *Hub) Server(names ...string) string {
	return filepath.Join(append([]string{h.Dir, "servers", h.Demo.ServerID}, names...)...)
}

// Data is a path below the data folder of the demo's server.
func (h *Hub) Data(names ...string) string {
	return h.Server(append([]string{"data"}, names...)...)
}
