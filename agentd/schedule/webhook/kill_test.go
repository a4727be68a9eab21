package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/schedule/webhook"
	"gatehouse/agentd/wire"
)

func callOf(args json.RawMessage) gate.Call {
	id := uuid.Must(uuid.NewV7()).String()
	return gate.Call{ID: id, RunID: id, RootRunID: id, SessionID: id, Agent: "secretary", Tool: webhook.ToolName, Args: args, Level: 3}
}

// victimEnv has this test binary send what waits in a folder, as a process of its own. "before" it dies when the gate knows what the
// receiver said and the delivery does not yet.
const victimEnv = "WEBHOOK_TEST_VICTIM"

func TestMain(m *testing.M) {
	job := os.Getenv(victimEnv)
	if job == "" {
		os.Exit(m.Run())
	}
	at, dir, _ := strings.Cut(job, ":")
	if err := victim(dir, at == "before"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fatal is a gate whose process dies after a call.
type fatal struct{ gate.Doer }

func (f fatal) Do(ctx context.Context, c gate.Call, parked func(bool)) (gate.Outcome, error) {
	if out, err := f.Doer.Do(ctx, c, parked); err != nil {
		return out, err
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // the signal is on its way
}

func victim(dir string, dies bool) error {
	w, err := open(dir, func(g gate.Doer) gate.Doer {
		if dies {
			return fatal{g}
		}
		return g
	})
	if err != nil {
		return err
	}
	w.run()
	for {
		var open int
		err := w.DB.Read().QueryRowContext(context.Background(),
			"SELECT count(*) FROM schedule_deliveries WHERE state = 'waiting' AND attempts = 0").Scan(&open)
		if err != nil || open == 0 {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestDelivery_killed: agentd is killed while the receiver has a result and has not said so, and between the answer and the record of it.
// The next process sends it again with the same key where the answer is lost, and not where the gate has it. One attempt is on record.
func TestDelivery_killed(t *testing.T) {
	t.Parallel()
	for at, requests := range map[string]int{"received": 2, "before": 1} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := receives(t, nil)
			prepared := prepare(t, dir, r)
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
			cmd.Env = append(os.Environ(), victimEnv+"="+at+":"+dir)
			if at == "received" {
				r.says(func(http.ResponseWriter, *http.Request) { _ = cmd.Process.Kill() })
			}
			out, err := cmd.CombinedOutput()
			if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
				t.Fatalf("%v\n%s", err, out)
			}
			r.says(nil)
			w := startIn(t, dir)
			w.until(t, prepared, wire.DeliverySent, 1)
			all := r.all()
			keys := map[string]bool{}
			for _, one := range all {
				keys[one.header.Get("Idempotency-Key")+string(one.body)] = true
			}
			if len(all) != requests || len(keys) != 1 {
				t.Errorf("%d requests with %s keys or bodies, want %d", len(all), strconv.Itoa(len(keys)), requests)
			}
		})
	}
}

// prepare leaves a result that waits to be sent.
func prepare(t *testing.T, dir string, r *receiver) wire.Schedule {
	t.Helper()
	w, err := open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lists(t, dir, r.URL)
	s := w.sends(t, r.URL)
	w.runs1(t, s, "Seven.")
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	return s
}
