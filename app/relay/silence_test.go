package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/relay"
)

// full are the questions that have their full time while a server is silent, and why. All others only read, and pages ask them.
var full = map[wire.Method]string{
	wire.MethodChatPost: "writes", wire.MethodRunCancel: "writes",
	wire.MethodApproverEnrol: "writes", wire.MethodApproverRevoke: "writes",
	wire.MethodRecoveryNew: "writes", wire.MethodRecoveryKept: "writes",
	wire.MethodSecretsProvide: "writes", wire.MethodSecretsDecline: "writes", wire.MethodSecretsGenerate: "writes",
	wire.MethodSecretsRotate: "writes", wire.MethodSecretsRollback: "writes", wire.MethodSecretsBind: "writes",
	wire.MethodSecretsDelete:  "writes",
	wire.MethodSecretsReveal:  "leaves a receipt",
	wire.MethodPermissionsSet: "writes", wire.MethodWindowClose: "writes",
	wire.MethodFilesUpload: "writes", wire.MethodFilesPart: "writes", wire.MethodFilesFinish: "writes", wire.MethodFilesChange: "writes",
	wire.MethodSessionRename: "writes", wire.MethodSessionArchive: "writes", wire.MethodSessionDelete: "writes",
	wire.MethodExportStart: "writes", wire.MethodCommand: "writes",
	wire.MethodSupportOpen: "writes", wire.MethodSupportLook: "leaves a receipt",
	wire.MethodSchedulesSet: "writes", wire.MethodScheduleCreate: "writes", wire.MethodScheduleEdit: "writes",
	wire.MethodSchedulePause: "writes", wire.MethodScheduleResume: "writes", wire.MethodScheduleDelete: "writes",
	wire.MethodScheduleRun: "writes", wire.MethodScheduleDismiss: "writes", wire.MethodScheduleWebhook: "writes",
	wire.MethodMemoryChange: "writes", wire.MethodHookChange: "writes", wire.MethodHookDeliver: "writes",
	wire.MethodChannelChange: "writes", wire.MethodChannelTest: "writes", wire.MethodChannelDeliver: "writes",
	wire.MethodTeamChange: "writes", wire.MethodEventRuleChange: "writes",
	wire.MethodLinkKeyOffer: "writes", wire.MethodLinkKeyTaken: "writes",

	wire.MethodFilesRead:           "a stretch of a download may take longer than the short wait on a slow line",
	wire.MethodExportRead:          "the same",
	wire.MethodExportFiles:         "the same",
	wire.MethodPermissionsSimulate: "works through a week of calls",
	wire.MethodReceiptsHashes:      "asked by the link itself, for no page",
	wire.MethodCommandGet:          "asked by a job, for no page",
	wire.MethodUsageSums:           "the same",
	wire.MethodUsageAgain:          "the same",
	wire.MethodEcho:                "measures the way there",
}

// methods are all questions that the contract has, read from its source.
func methods(t *testing.T) (all []wire.Method) {
	t.Helper()
	files, err := filepath.Glob("../../agentd/wire/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of the contract: %v", err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, "Method") {
				return true
			}
			if lit, ok := v.Values[0].(*ast.BasicLit); ok {
				m, _ := strconv.Unquote(lit.Value)
				all = append(all, wire.Method(m))
			}
			return true
		})
	}
	return all
}

// quiet is a server that answers only while it speaks.
func quiet(t *testing.T, r *relay.Relay, id string) (speaks *atomic.Bool) {
	t.Helper()
	speaks = &atomic.Bool{}
	attach(t, r, id, 1, func(q wire.RPCRequest) *wire.RPCReply {
		if !speaks.Load() {
			return nil
		}
		return &wire.RPCReply{ID: q.ID, Result: json.RawMessage(`{}`)}
	})
	return speaks
}

// ask asks and says whether the whole time was used up.
func ask(t *testing.T, r *relay.Relay, id string, m wire.Method, wait time.Duration) (inFull bool, err error) {
	t.Helper()
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	err = r.Call(ctx, id, m, nil, nil)
	return time.Since(begun) >= wait-10*time.Millisecond, err
}

// silence lets one page wait in vain.
func silence(t *testing.T, r *relay.Relay, id string) {
	t.Helper()
	if inFull, err := ask(t, r, id, wire.MethodAgentsList, 2100*time.Millisecond); !inFull || !errors.Is(err, relay.ErrAway) {
		t.Fatalf("the first waits in full, got %v", err)
	}
}

// TestRelay_Call_silent: after one who waited in vain nobody waits long, whatever they read, until the server answers again.
func TestRelay_Call_silent(t *testing.T) {
	t.Parallel()
	r := open(t)
	speaks := quiet(t, r, "s1")
	silence(t, r, "s1")
	all := methods(t)
	if len(all) <= len(full) {
		t.Fatalf("the contract has %d questions, of which %d are stated", len(all), len(full))
	}
	var asking sync.WaitGroup
	for _, m := range all {
		asking.Go(func() {
			wait := patience
			if full[m] != "" {
				wait = 1200 * time.Millisecond
			}
			inFull, err := ask(t, r, "s1", m, wait)
			switch {
			case !errors.Is(err, relay.ErrAway):
				t.Errorf("%s: %v", m, err)
			case inFull && full[m] == "":
				t.Errorf("%s waits in full: it is neither a read nor stated to need the time", m)
			case !inFull && full[m] != "":
				t.Errorf("%s waits only briefly, but %s", m, full[m])
			}
		})
	}
	asking.Wait()
	speaks.Store(true)
	if _, err := ask(t, r, "s1", wire.MethodAgentsList, patience); err != nil {
		t.Errorf("when it answers again: %v", err)
	}
}

// TestRelay_Call_late: an answer that comes too late for whoever asked shows that the server is there, so the next read has its
// full time again.
func TestRelay_Call_late(t *testing.T) {
	t.Parallel()
	r := open(t)
	const slow = time.Second
	var speaks atomic.Bool
	answered := make(chan struct{}, 8)
	detach, err := r.Attach(t.Context(), "s1", 1, late{&speaks, slow, answered})
	if err != nil {
		t.Fatal(err)
	}
	defer detach()
	silence(t, r, "s1")
	speaks.Store(true)
	if inFull, err := ask(t, r, "s1", wire.MethodFilesList, patience); inFull || !errors.Is(err, relay.ErrAway) {
		t.Fatalf("the next waits briefly, got %v", err)
	}
	<-answered
	for end := time.Now().Add(patience); ; {
		_, err := ask(t, r, "s1", wire.MethodFilesList, patience)
		if err == nil {
			return
		}
		if !time.Now().Before(end) {
			t.Fatalf("a slow server is never heard: %v", err)
		}
	}
}

// TestRelay_Call_onlySlow: one answer that takes long does not make a server silent that answers others meanwhile.
func TestRelay_Call_onlySlow(t *testing.T) {
	t.Parallel()
	r := open(t)
	attach(t, r, "s1", 1, func(q wire.RPCRequest) *wire.RPCReply {
		if q.Method == wire.MethodFilesList {
			return nil
		}
		return &wire.RPCReply{ID: q.ID, Result: json.RawMessage(`{}`)}
	})
	searched := make(chan error, 1)
	go func() {
		_, err := ask(t, r, "s1", wire.MethodFilesList, 2500*time.Millisecond)
		searched <- err
	}()
	for len(searched) == 0 {
		if _, err := ask(t, r, "s1", wire.MethodAgentsList, patience); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-searched; !errors.Is(err, relay.ErrAway) {
		t.Fatal(err)
	}
	if inFull, _ := ask(t, r, "s1", wire.MethodFilesList, 1500*time.Millisecond); !inFull {
		t.Error("after a search that took too long the next one is cut short, although the server answers")
	}
}

// late is a server that takes its time to answer once it speaks.
type late struct {
	speaks   *atomic.Bool
	takes    time.Duration
	answered chan<- struct{}
}

func (l late) Ask(raw []byte, reply func([]byte)) {
	var q wire.RPCRequest
	if json.Unmarshal(raw, &q) != nil || !l.speaks.Load() {
		return
	}
	out, _ := json.Marshal(wire.RPCReply{ID: q.ID, Result: json.RawMessage(`{}`)})
	time.AfterFunc(l.takes, func() {
		reply(out)
		l.answered <- struct{}{}
	})
}

func (late) Nudge() {}

func (late) Fence(int64) {}
