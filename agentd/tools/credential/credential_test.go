package credential_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tools/credential"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/vault/vaulttest"
	"gatehouse/agentd/wire"
)

const value = "canary-credential-0123456789abcdef"

func tools(w *vaulttest.World) []gate.Tool {
	return []gate.Tool{credential.NewGet(w.Vault), credential.NewGenerate(w.Vault), credential.NewRotate(w.Vault, nil, nil)}
}

func get(service, key string) policy.GetCredentialArgs {
	return policy.GetCredentialArgs{Service: service, Key: key}
}

func TestGet_refers(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	w.Set("ghost.admin_key", value, wire.SecretBinding{Tool: "http_request", Scheme: "https", Host: "Blog.Example.com", Port: 443, Header: "authorization"})
	o, _ := w.Do("get_credential", get("ghost", "admin_key"))
	var got struct {
		Ref      string   `json:"ref"`
		SecretID string   `json:"secret_id"`
		UsableIn []string `json:"usable_in"`
	}
	if err := json.Unmarshal([]byte(o.Text), &got); err != nil || got.Ref != "SECRET_REF(ghost.admin_key)" || got.SecretID != "ghost.admin_key" ||
		!slices.Equal(got.UsableIn, []string{"https://blog.example.com:443 header Authorization"}) {
		t.Errorf("%+v, %v", o, err)
	}
	if strings.Contains(o.Text, value) || len(w.Leaks(value)) > 0 {
		t.Error("the value is shown")
	}
}

// pending waits until a call waits for a value.
func pending(t *testing.T, w *vaulttest.World) wire.SecretRequest {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) { // between two looks
		all, err := w.Vault.Requests(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := w.Told()
		if len(all) == 1 && len(told) > 0 && told[len(told)-1].State == wire.ToolAwaitingSecret {
			return all[0]
		}
	}
	t.Fatal("no call waits for a value")
	return wire.SecretRequest{}
}

type ended struct {
	o   gate.Outcome
	err error
}

func start(ctx context.Context, w *vaulttest.World, c gate.Call, parked func(bool)) chan ended {
	done := make(chan ended, 1)
	go func() {
		o, err := w.Gate.Do(ctx, c, parked)
		done <- ended{o, err}
	}()
	return done
}

// TestGet_waitsForTheOwner: the call parks, survives a restart, and goes on with the reference.
func TestGet_waitsForTheOwner(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	c := w.Call("get_credential", get("crm", "api_key"))
	parked := make(chan bool, 8)
	first := start(t.Context(), w, c, func(p bool) { parked <- p })
	r := pending(t, w)
	if r.ID != c.ID || r.Name != "crm.api_key" || r.Agent != "it-admin" || r.RootRunID != c.RootRunID || !<-parked {
		t.Errorf("%+v", r)
	}
	told := w.Told()
	if last := told[len(told)-1]; last.State != wire.ToolAwaitingSecret || last.Secret == nil || last.Secret.ID != c.ID {
		t.Errorf("%+v", last)
	}
	w.Stop()
	if e := <-first; e.err == nil {
		t.Errorf("the call ended with the process: %+v", e.o)
	}
	w.Start(tools)
	second := start(t.Context(), w, c, func(p bool) { parked <- p })
	if again := pending(t, w); again.ID != r.ID || !again.CreatedAt.Equal(r.CreatedAt) {
		t.Errorf("asked anew: %+v", again)
	}
	if _, err := w.Vault.Put(t.Context(), vault.New{Name: r.Name, Value: secret.New(value), Source: vault.FromOwner, By: "owner"}); err != nil {
		t.Fatal(err)
	}
	e := <-second
	if e.err != nil || e.o.State != wire.ToolDone || !strings.Contains(e.o.Text, "SECRET_REF(crm.api_key)") {
		t.Errorf("%+v", e)
	}
	if after, err := w.Vault.Request(t.Context(), c.ID); err != nil || after.State != vault.Provided {
		t.Errorf("%+v, %v", after, err)
	}
	if leaks := w.Leaks(value); len(leaks) > 0 {
		t.Errorf("the value lies in %v", leaks)
	}
}

func TestGet_declinedAndStopped(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	c := w.Call("get_credential", get("crm", "api_key"))
	done := start(t.Context(), w, c, func(bool) {})
	pending(t, w)
	if err := w.Vault.Close(t.Context(), c.ID, vault.Declined); err != nil {
		t.Fatal(err)
	}
	if e := <-done; e.err != nil || e.o.State != wire.ToolFailed || !strings.Contains(e.o.Text, "does not want") {
		t.Errorf("%+v", e)
	}
	if err := w.Vault.Close(t.Context(), c.ID, vault.Withdrawn); err == nil {
		t.Error("answered twice")
	}
	c = w.Call("get_credential", get("crm", "other_key"))
	ctx, stop := context.WithCancel(t.Context())
	done = start(ctx, w, c, func(bool) {})
	pending(t, w)
	stop()
	<-done
	if r, err := w.Vault.Request(t.Context(), c.ID); err != nil || r.State != vault.Withdrawn {
		t.Errorf("the run was stopped, the request is %+v, %v", r, err)
	}
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	args := map[string]any{"service": "crm", "key": "db_password", "constraints": map[string]any{"length": 40, "classes": []string{"lower", "digit"}}}
	o, c := w.Do("generate_credential", args)
	known, err := w.Vault.Known(t.Context())
	if err != nil || o.State != wire.ToolDone || len(known) != 1 || len(known[0].Value) != 40 || strings.ToLower(known[0].Value) != known[0].Value {
		t.Fatalf("%+v, %v", o, err)
	}
	if leaks := w.Leaks(known[0].Value); len(leaks) > 0 || strings.Contains(o.Text, known[0].Value) {
		t.Errorf("the value lies in %v", leaks)
	}
	if made, err := w.Vault.Made(t.Context(), "crm.db_password", "call "+c.ID); err != nil || !made {
		t.Error("a repeat would not know what was made")
	}
	if o, _ := w.Do("generate_credential", args); o.State != wire.ToolFailed || !strings.Contains(o.Text, "already") {
		t.Errorf("made over an existing one: %+v", o)
	}
	args["key"], args["constraints"] = "pin", map[string]any{"length": 8, "classes": []string{"digit"}}
	if o, _ := w.Do("generate_credential", args); o.State != wire.ToolFailed {
		t.Errorf("made a PIN: %+v", o)
	}
	args["constraints"] = map[string]any{"size": 8}
	if o, _ := w.Do("generate_credential", args); o.State != wire.ToolFailed {
		t.Errorf("took an unknown constraint: %+v", o)
	}
}

// TestGenerate_tooMany: an agent cannot fill the machine with new secrets, and is told so. A person still can add one.
func TestGenerate_tooMany(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	var lines []byte
	for i := range 900 {
		lines = fmt.Appendf(lines, "TOOL%d_KEY=%s%d\n", i, value, i)
	}
	if _, err := w.Vault.Import(t.Context(), lines, vault.FromOwner, "operator", "import"); err != nil {
		t.Fatal(err)
	}
	o, _ := w.Do("generate_credential", map[string]any{"service": "crm", "key": "db_password"})
	known, err := w.Vault.Known(t.Context())
	if err != nil || len(known) != 900 || o.State != wire.ToolFailed || !strings.Contains(o.Text, "900 secrets") || !strings.Contains(o.Text, "agentd secrets set") {
		t.Errorf("%+v, %d known, %v", o, len(known), err)
	}
	wantPerson(t, w)
}

// TestGenerate_leavesSome: what agents make within a day leaves people the values with which they replace what has leaked.
func TestGenerate_leavesSome(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	made := func(i int) gate.Outcome {
		o, _ := w.Do("generate_credential", map[string]any{"service": "crm", "key": fmt.Sprintf("password%d", i)})
		return o
	}
	for i := range 50 {
		if o := made(i); o.State != wire.ToolDone {
			t.Fatalf("%d: %+v", i, o)
		}
	}
	if o := made(50); o.State != wire.ToolFailed || !strings.Contains(o.Text, "50 new values") || !strings.Contains(o.Text, "an agent") {
		t.Errorf("%+v", o)
	}
	wantPerson(t, w)
}

// wantPerson fails unless a person who is not on the server can still set a secret.
func wantPerson(t *testing.T, w *vaulttest.World) {
	t.Helper()
	_, err := w.Vault.Put(t.Context(), vault.New{Name: "shop.password", Value: secret.New(value), Source: vault.FromOwner, By: "owner"}, w.Vault.Sparing(t.Context(), "shop.password"))
	if err != nil {
		t.Errorf("a person is held back: %v", err)
	}
}

// TestRefs_inTheseTools: their arguments are names, not references.
func TestRefs_inTheseTools(t *testing.T) {
	t.Parallel()
	w := vaulttest.New(t, tools)
	w.Set("a.b", value)
	for _, c := range []struct {
		tool string
		args any
	}{{"get_credential", get("SECRET_REF(a.b)", "x")}, {"rotate_credential", policy.RotateCredentialArgs{SecretID: "SECRET_REF(a.b)"}}} {
		o, call := w.Do(c.tool, c.args)
		if o.State != wire.ToolDenied || slices.Contains(w.Types(call), "call.started") {
			t.Errorf("%s: %+v", c.tool, o)
		}
	}
}
