package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/gate/gatetest"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

const leased = "canary-lease-0123456789abcdef"

// carrier is a tool that may carry secrets in its field text, and lets the test do what it likes meanwhile.
type carrier struct {
	with func(ctx context.Context, p gate.Permit, args json.RawMessage) (string, error)
}

func (carrier) Definition() tool.Definition {
	const schema = `{"type":"object","additionalProperties":false,
		"properties":{"text":{"type":"string"},"list":{"type":"array"},"map":{"type":"object"}}}`
	return tool.Definition{Name: "http_request", Args: json.RawMessage(schema)}
}

func (carrier) Classify(json.RawMessage) policy.Class {
	return policy.Class{Tier: policy.Green, Action: "fake.thing.send", Says: "Send a text"}
}

func place(name string) gate.Use {
	return gate.Use{Name: name, Scheme: "https", Host: "crm.example.com", Port: 443, Field: "text"}
}

func (carrier) Uses(args []byte) ([]gate.Use, error) {
	var in struct{ Text string }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	names, err := gate.Refs(in.Text)
	var all []gate.Use
	for _, n := range names {
		all = append(all, place(n))
	}
	return all, err
}

func (c carrier) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	text, err := c.with(ctx, p, args)
	return tool.Result{Text: text}, err
}

// leasing is a world with the carrier, a tool that is none, and its ledger.
func leasing(t *testing.T, with func(ctx context.Context, p gate.Permit, args json.RawMessage) (string, error)) (*vaulttest.World,
	*gatetest.Ledger,
) {
	t.Helper()
	ledger := &gatetest.Ledger{Path: filepath.Join(t.TempDir(), "ledger")}
	w := vaulttest.New(t, func(*vaulttest.World) []gate.Tool {
		return []gate.Tool{carrier{with}, &gatetest.Fake{Name: "fake", Ledger: ledger}}
	})
	w.Set("crm.key", leased, wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "crm.example.com", Port: 443, Field: "text"})
	w.Set("crm.unbound", leased+"-2")
	return w, ledger
}

// TestLease_whileItRuns: the value is there between redeeming the permit and the end of the call, for this place alone.
func TestLease_whileItRuns(t *testing.T) {
	t.Parallel()
	var kept gate.Secrets
	var mu sync.Mutex
	w, _ := leasing(t, func(ctx context.Context, p gate.Permit, args json.RawMessage) (string, error) {
		none := func(what string, u gate.Use) {
			if v, err := p.Secrets().Value(ctx, u); !errors.Is(err, gate.ErrLease) || !v.Empty() {
				t.Errorf("%s: %v", what, err)
			}
		}
		none("before the permit is redeemed", place("crm.key"))
		if err := p.Redeem(args); err != nil {
			return "", err
		}
		mu.Lock()
		kept = p.Secrets()
		mu.Unlock()
		none("another secret", place("crm.unbound"))
		for what, bend := range map[string]func(*gate.Use){
			"host": func(u *gate.Use) { u.Host = "evil.example.com" }, "port": func(u *gate.Use) { u.Port = 8443 },
			"scheme": func(u *gate.Use) { u.Scheme = "http" },
			"field":  func(u *gate.Use) { u.Field = "other" }, "header": func(u *gate.Use) { u.Header = "X-Key" },
		} {
			u := place("crm.key")
			bend(&u)
			none("another "+what, u)
		}
		v, err := p.Secrets().Value(ctx, place("crm.key"))
		if err != nil || v.Reveal() != leased {
			t.Errorf("%v", err)
		}
		out, err := p.Secrets().Expand(ctx, "k=SECRET_REF(crm.key)!", place(""))
		if err != nil || out.Reveal() != "k="+leased+"!" || strings.Contains(fmt.Sprintf("%v %+v %#v", out, p, p.Secrets()), leased) {
			t.Errorf("%v", err)
		}
		return "sent", nil
	})
	o, _ := w.Do("http_request", map[string]string{"text": "SECRET_REF(crm.key)"})
	if o.State != wire.ToolDone {
		t.Fatalf("%+v", o)
	}
	mu.Lock()
	defer mu.Unlock()
	if v, err := kept.Value(t.Context(), place("crm.key")); !errors.Is(err, gate.ErrLease) || !v.Empty() {
		t.Errorf("after the call: %v", err)
	}
	if v, err := (gate.Secrets{}).Value(t.Context(), place("crm.key")); !errors.Is(err, gate.ErrLease) || !v.Empty() {
		t.Errorf("without a permit: %v", err)
	}
	if leaks := w.Leaks(leased); len(leaks) > 0 {
		t.Errorf("the value lies in %v", leaks)
	}
}

// TestLease_refused: no reference anywhere else gets further than the stage lease, and nothing runs.
func TestLease_refused(t *testing.T) {
	t.Parallel()
	ran := 0
	w, ledger := leasing(t, func(context.Context, gate.Permit, json.RawMessage) (string, error) { ran++; return "", nil })
	for what, c := range map[string]struct {
		tool string
		args any
	}{
		"another tool":          {"fake", gatetest.Args{Tier: "green", Key: "SECRET_REF(crm.key)"}},
		"within a word":         {"fake", gatetest.Args{Tier: "green", Key: "x SECRET_REF(crm.key) y"}},
		"malformed there":       {"fake", gatetest.Args{Tier: "green", Key: "SECRET_REF( crm.key )"}},
		"unbound":               {"http_request", map[string]any{"text": "SECRET_REF(crm.unbound)"}},
		"unknown":               {"http_request", map[string]any{"text": "SECRET_REF(crm.nothing)"}},
		"one of two":            {"http_request", map[string]any{"text": "SECRET_REF(crm.key) SECRET_REF(crm.unbound)"}},
		"another field":         {"http_request", map[string]any{"list": []string{"SECRET_REF(crm.key)"}}},
		"deep":                  {"http_request", map[string]any{"map": map[string]any{"a": []any{map[string]any{"b": "SECRET_REF(crm.key)"}}}}},
		"the name of a field":   {"http_request", map[string]any{"map": map[string]any{"SECRET_REF(crm.key)": 1}}},
		"malformed":             {"http_request", map[string]any{"text": "SECRET_REF(crm.key"}},
		"upper case":            {"http_request", map[string]any{"text": "SECRET_REF(CRM.KEY)"}},
		"nested":                {"http_request", map[string]any{"text": "SECRET_REF(SECRET_REF(crm.key))"}},
		"escapes, for our eyes": {"http_request", json.RawMessage(`{"list":["\u0053ECRET_REF(crm.key)"]}`)},
	} {
		o, call := w.Do(c.tool, c.args)
		types := w.Types(call)
		all := w.Of(call)
		if o.State != wire.ToolDenied || slices.Contains(types, "call.started") || slices.Contains(types, "credential.leased") ||
			!strings.Contains(string(all[len(all)-1].Body), `"stage":"lease"`) {
			t.Errorf("%s: %+v, %v", what, o, types)
		}
	}
	effects, err := ledger.Effects()
	if err != nil || len(effects) > 0 || ran > 0 {
		t.Errorf("%d effects, ran %d times, %v", len(effects), ran, err)
	}
}

// TestLease_plainLetters: what only looks like a reference is text, in any tool.
func TestLease_plainLetters(t *testing.T) {
	t.Parallel()
	w, ledger := leasing(t, nil)
	for _, text := range []string{"secret_ref(crm.key)", "SECRET-REF(crm.key)", "SECRET _REF(crm.key)", "the word SECRET"} {
		if o, _ := w.Do("fake", gatetest.Args{Tier: "green", Key: text}); o.State != wire.ToolDone {
			t.Errorf("%q: %+v", text, o)
		}
	}
	if effects, err := ledger.Effects(); err != nil || len(effects) != 4 {
		t.Errorf("%v, %v", effects, err)
	}
}

func TestRefs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "no": "", "SECRET_REF(a.b)": "a.b", "xSECRET_REF(a.b)y SECRET_REF(c-d.e_f)": "a.b c-d.e_f", gate.Ref("a.b"): "a.b",
	} {
		if got, err := gate.Refs(text); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"SECRET_REF", "SECRET_REF()", "SECRET_REF(a b)", "SECRET_REF(.)", "SECRET_REF(A)",
		"SECRET_REF(a.b) SECRET_REF(", "SECRET_REF(a\u200b.b)",
	} {
		if got, err := gate.Refs(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzRefs(f *testing.F) {
	f.Add("SECRET_REF(a.b)")
	f.Add("SECRET_REF(SECRET_REF(a))")
	f.Fuzz(func(t *testing.T, text string) {
		names, err := gate.Refs(text)
		if err != nil {
			return
		}
		if strings.Count(text, "SECRET_REF") != len(names) {
			t.Fatalf("%q: %d letters, %d names", text, strings.Count(text, "SECRET_REF"), len(names))
		}
		for _, n := range names {
			if !strings.Contains(text, gate.Ref(n)) {
				t.Fatalf("%q does not hold %q", text, n)
			}
		}
	})
}
