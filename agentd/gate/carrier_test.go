package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/store/storetest"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// parcel sends more than its arguments say.
type parcel struct {
	text  string
	whole bool
	err   error
	ran   bool
}

type parcelArgs struct {
	Text string `json:"text"`
}

func (*parcel) Definition() tool.Definition {
	return tool.Definition{Name: "parcel", Doc: "Sends.", Args: tool.SchemaOf[parcelArgs](), Outward: true, Timeout: time.Minute}
}

func (*parcel) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.YellowExternal, Action: "test.send", Says: "Send", Outside: []string{"a@b.example"}}
}

func (p *parcel) Carries(context.Context, json.RawMessage) (text string, whole bool, err error) {
	return p.text, p.whole, p.err
}

func (p *parcel) Run(_ context.Context, permit gate.Permit, args json.RawMessage) (tool.Result, error) {
	p.ran = true
	return tool.Result{Text: "sent"}, permit.Redeem(args)
}

// looker notes what would leave, and lets nothing go.
type looker struct{ all []gate.Leaving }

func (l *looker) Look(o gate.Leaving) (policy.Opinion, []string) {
	l.all = append(l.all, o)
	return policy.Block, []string{"secret"}
}

func (*looker) Left([]string) {}

// TestCarrier: what a call would send besides its arguments is looked at with them. What cannot be looked at is not sent.
func TestCarrier(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*parcel{
		"text":       {text: "of the file", whole: true},
		"not text":   {},
		"not there":  {err: tool.Refuse("It is gone.")},
		"an inner":   {err: errors.New("inner workings")},
		"both, half": {text: "of the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, out := t.TempDir(), &looker{}
			storetest.Seed(t, dir+"/state")
			w, err := gatetest.OpenWith(dir, time.Now, func(d *gate.Deps) { d.Outgoing = out }, p)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			})
			id := uuid.Must(uuid.NewV7()).String()
			o, err := w.Gate.Do(t.Context(), gate.Call{
				ID: id, RunID: id, RootRunID: id, SessionID: id, Agent: "it-admin", Tool: "parcel", Level: 4,
				Args: json.RawMessage(`{"text":"of the call"}`),
			}, func(bool) {})
			if err != nil || o.State != wire.ToolDenied || p.ran || strings.Contains(o.Text, "inner workings") {
				t.Fatalf("%+v, %v", o, err)
			}
			if p.err != nil {
				if len(out.all) != 0 {
					t.Errorf("%+v", out.all)
				}
				return
			}
			l := out.all[0]
			if !strings.Contains(l.Text, "of the call") || !strings.Contains(l.Text, p.text) || l.Unread == p.whole {
				t.Errorf("%+v", l)
			}
		})
	}
}
