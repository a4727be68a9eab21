package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"gatehouse/agentd/config"
	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// secretly is a call whose arguments no transcript keeps as they are.
func secretly(tier, mode string) llm.Call {
	return doit("a", tier, "DB_PASSWORD=ghp_"+strings.Repeat("aB3dE6gH9k", 4)[:36], mode)
}

// neverSays keeps a call at the first stage of the gate, before anything of it is on the gate's record.
type neverSays struct{}

// Visible implements gate.Visibility.
func (neverSays) Visible(config.State, gate.Call) (bool, string) { select {} }

// TestRestart_argsWithSecret: a call whose arguments hold a secret goes on as the same call, with the arguments that the
// model wrote, wherever the process died.
func TestRestart_argsWithSecret(t *testing.T) {
	t.Parallel()
	for place, c := range map[string]struct {
		call llm.Call
		want string
	}{
		"parked secret":     {secretly("red", ""), "The tool said: did "},
		"secret in tool":    {secretly("green", "hangs"), "The tool said: [unknown] "},
		"secret not judged": {secretly("green", ""), "The tool said: did "},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			dir := victimDir(t)
			killAt(t, place, dir)
			s := startIn(t, dir, options{model: once(c.call)})
			s.allowAll(t, victimRun)
			if f := data[wire.FinalData](t, s.watch.end(t, victimRun)); !strings.HasPrefix(f.Text, c.want) {
				t.Errorf("%q", f.Text)
			}
			written, bad := canonical.Hash([]byte(c.call.Args))
			all, err := s.ledger.Effects()
			if err := errors.Join(err, bad); err != nil || len(all) != 1 || all[0].ArgsHash != written {
				t.Errorf("effects %v, %v", all, err)
			}
		})
	}
}

// allowAll lets through what a run of a former life waits for.
func (s *server) allowAll(t *testing.T, runID string) {
	t.Helper()
	for _, a := range call[wire.Run](t, s, wire.MethodRunGet, wire.RunParams{RunID: runID}).Asked {
		if err := s.Decide(gatetest.Answer(*a, wire.AllowOnce)); err != nil {
			t.Fatal(err)
		}
	}
}
