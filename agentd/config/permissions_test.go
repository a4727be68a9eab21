package config_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"gatehouse/agentd/config"
	"gatehouse/agentd/wire"
)

const (
	strictRules = "version: 1\nrules:\n  - {id: no-mail, tool: message, effect: deny}\n"
	looseRules  = "version: 1\nrules:\n  - {id: notes, tool: file_write, effect: allow}\n"
)

// signers takes one signature, and counts what it was asked.
type signers struct {
	asked int
	last  wire.ChangeKind
}

func (s *signers) VerifyChange(_ context.Context, _ *sql.Tx, k wire.ChangeKind, body any, _ int64, sig *wire.Signature) (config.Proof, error) {
	s.asked, s.last = s.asked+1, k
	if _, ok := body.(wire.PermissionsBody); !ok || sig == nil || sig.Sig != "good" {
		return config.Proof{}, errors.New("no signature")
	}
	return config.Proof{KeyID: "key"}, nil
}

func change(t *testing.T, base int64, text string) wire.PermissionsSet {
	t.Helper()
	id, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	return wire.PermissionsSet{ID: id.String(), Base: base, Text: text, Reason: "why not", By: wire.Origin{Email: "owner@example.com", Channel: "portal"}}
}

// set asks over RPC.
func (w *world) set(t *testing.T, p wire.PermissionsSet) (wire.Permissions, string) {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Methods().Answer(t.Context(), wire.MethodPermissionsSet, b)
	var no *wire.RPCError
	if errors.As(err, &no) {
		return wire.Permissions{}, no.Code
	}
	if err != nil {
		t.Fatal(err)
	}
	return v.(wire.Permissions), ""
}

func (w *world) rules(t *testing.T, ids ...string) {
	t.Helper()
	m, _ := w.State().Rules()
	got := []string{}
	for _, r := range m.Rules {
		got = append(got, r.ID)
	}
	if strings.Join(got, " ") != strings.Join(ids, " ") {
		t.Errorf("rules %v in force, want %v", got, ids)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	heard := 0
	w.Subscribe(func(config.State) { heard++ })
	first := change(t, 0, strictRules)
	if got, code := w.set(t, first); code != "" || got.Version != 1 || got.Text != strictRules || len(got.Versions) != 1 || got.Versions[0].By.Email != "owner@example.com" {
		t.Fatalf("%+v %s", got, code)
	}
	w.rules(t, "no-mail")
	for name, tc := range map[string]struct {
		p    wire.PermissionsSet
		code string
	}{
		"again":         {first, ""},
		"on old ground": {change(t, 0, looseRules), "conflict"},
		"unreadable":    {change(t, 1, "version: 1\nrules: [{}]\n"), "bad_request"},
		"without id":    {wire.PermissionsSet{Base: 1, Text: looseRules}, "bad_request"},
	} {
		if got, code := w.set(t, tc.p); code != tc.code || code == "" && got.Version != 1 {
			t.Errorf("%s: %q, %+v", name, code, got)
		}
	}
	w.rules(t, "no-mail")
	if heard != 1 {
		t.Errorf("listeners heard %d changes", heard)
	}
	w.apply(t, wire.Config{Version: 9, DefaultLevel: 1})
	w.rules(t, "no-mail") // a pushed configuration leaves the rules alone
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, w.dir).rules(t, "no-mail") // and so does a restart
}

// TestSet_signature: what loosens takes a signature, what only tightens does not, and nobody but the machine itself
// may say that it is the machine.
func TestSet_signature(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	s := &signers{}
	w.RequireSignatures(s)
	forged := change(t, 0, looseRules)
	forged.By.Channel = config.OnServer
	for name, p := range map[string]wire.PermissionsSet{"unsigned": change(t, 0, looseRules), "as the server": forged} {
		if _, code := w.set(t, p); code != "signature_required" {
			t.Errorf("%s: %q", name, code)
		}
	}
	w.rules(t)
	p := change(t, 0, looseRules)
	p.Signature = &wire.Signature{Sig: "good"}
	if _, code := w.set(t, p); code != "" || s.last != wire.ChangeRule {
		t.Errorf("signed: %q, %q", code, s.last)
	}
	w.rules(t, "notes")
	asked := s.asked
	if _, code := w.set(t, change(t, 1, looseRules+"  - {id: no-mail, tool: message, effect: deny}\n")); code != "" || s.asked != asked {
		t.Errorf("a stricter rule: %q, asked %d times", code, s.asked-asked)
	}
	if _, code := w.set(t, change(t, 2, looseRules)); code != "signature_required" {
		t.Errorf("a deny taken away: %q", code)
	}
	w.rules(t, "notes", "no-mail")
}

// TestLook: the file follows the rules, an edit of it is put in force, and one that cannot be read is not.
func TestLook(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	file := filepath.Join(w.dir, config.PermissionsFile)
	look := func() {
		t.Helper()
		if err := w.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(part string) {
		t.Helper()
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), part) {
			t.Errorf("the file holds %q, %v; want %q", b, err, part)
		}
	}
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		look()
	}
	look()
	holds("rules: []")
	if _, code := w.set(t, change(t, 0, strictRules)); code != "" {
		t.Fatal(code)
	}
	look() // what the file held before was not an edit
	holds("no-mail")
	w.rules(t, "no-mail")
	edit(looseRules)
	w.rules(t, "notes")
	for range 3 {
		edit("version: 1\nrules:\n  - {id: x, effect: maybe}\n")
	}
	w.rules(t, "notes")
	if got := w.out.alerts; len(got) != 1 || got[0].Kind != "permissions_invalid" || !strings.Contains(got[0].Text, "line 3") {
		t.Errorf("alerts %+v", got)
	}
	got, err := w.Methods().Answer(t.Context(), wire.MethodPermissionsGet, nil)
	if p := got.(wire.Permissions); err != nil || p.Version != 2 || p.Problem == "" || p.Versions[0].By.Channel != config.OnServer {
		t.Errorf("%+v, %v", got, err)
	}
	edit(looseRules + "# and a word\n")
	if got, err := w.Methods().Answer(t.Context(), wire.MethodPermissionsGet, nil); err != nil || got.(wire.Permissions).Problem != "" || got.(wire.Permissions).Version != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	look()
	holds("and a word")
}

// TestGet_all: pages get the texts of the newest versions, and who wants everything gets all of them.
func TestGet_all(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	for n := range 25 {
		if _, code := w.set(t, change(t, int64(n), fmt.Sprintf("version: 1\n# %d\n", n))); code != "" {
			t.Fatal(code)
		}
	}
	for params, want := range map[string]int{"": 20, `{}`: 20, `{"all":true}`: 25} {
		got, err := w.Methods().Answer(t.Context(), wire.MethodPermissionsGet, json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		texts := 0
		for _, v := range got.(wire.Permissions).Versions {
			if v.Text != "" {
				texts++
			}
		}
		if texts != want {
			t.Errorf("%q: %d texts, want %d", params, texts, want)
		}
	}
}

// TestLook_notAFile: a link or a flood in place of the file is not followed.
func TestLook_notAFile(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	file := filepath.Join(w.dir, config.PermissionsFile)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.Symlink("/etc/hostname", file)); err != nil {
		t.Fatal(err)
	}
	if err := w.Look(t.Context()); err == nil {
		t.Error("a link was followed")
	}
	w.rules(t)
}
