package redact

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFrame_opaqueFields: fields of our own frames keep random bytes, whatever they look like, unless they are a known
// secret.
func TestFrame_opaqueFields(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	id := "0198a7c2-11d2-7c3e-9f00-1b2c3d4e5f60"
	known := manySecrets(r, 50)
	fields := map[string]any{
		"id": id, "call_id": id, "args_hash": some(r, "0123456789abcdef", 64), "digest": some(r, "0123456789abcdef", 64), "nonce": some(r, alnum, 43),
		"key_id": some(r, alnum, 43), "sig": some(r, alnum, 86), "public_key": some(r, alnum, 43), "box": some(r, alnum+"+/", 4096) + "ghp_" + some(r, alnum, 36),
	}
	frame, err := json.Marshal(map[string]any{"body": fields, "items": []any{map[string]any{"signature": fields}}, "text": "two\nlines"})
	if err != nil {
		t.Fatal(err)
	}
	e := NewWith(known)
	if out := e.Frame(frame); !bytes.Equal(out, frame) {
		t.Errorf("changed:\n%s\n%s", frame, out)
	}
	fields["box"] = some(r, alnum, 400) + "." + known[7].Value
	for name := range fields {
		fields[name] = known[7].Value
		frame, err := json.Marshal(map[string]any{"body": fields})
		if err != nil {
			t.Fatal(err)
		}
		if out := e.Frame(frame); bytes.Contains(out, []byte(known[7].Value)) {
			t.Errorf("a known secret left as %s: %s", name, out)
		}
	}
}

// credentials are what stands where others name the members: the form of each is published, or it is said what it is.
func credentials(r *rand.Rand) map[string]string {
	return map[string]string{
		"a token":      "ghp_" + some(r, alnum, 36),
		"a long token": "github_" + "pat_" + some(r, alnum, 22) + "_" + some(r, alnum, 59),
		"a cloud key":  "AKIA" + some(r, alphabets["b32"], 16),
		"a PEM":        fill(r, "{{pem RSA PRIVATE KEY}}"),
		"a sentence":   "the password is " + fill(r, "{{pw}}"),
	}
}

// sparing are all names of members that spare something in our own frames, and some that end like them.
func sparing() []string {
	names := slices.Concat(slices.Collect(maps.Keys(sealedFields)), slices.Collect(maps.Keys(opaqueFields)))
	return append(names, "secret_id", "token_hash", "password_id", "password_hash", "data")
}

// TestBytes_foreignNames: whoever names a member cannot keep a credential in it: not in arguments, not in what tools
// answer, not in a part of a frame that others fill.
func TestBytes_foreignNames(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	e := New()
	for _, name := range sparing() {
		for what, secret := range credentials(r) {
			args := string(quoted(name)) + ":" + string(quoted(secret))
			for where, out := range map[string]string{
				"text":          string(e.Bytes([]byte("{" + args + "}"))),
				"arguments":     e.JSON(`{"headers":[{` + args + `}]}`),
				"a frame":       string(e.Frame([]byte(`{"tool":"x","args":{` + args + `}}`))),
				"a reply":       string(e.Frame([]byte(`{"result":{"items":[{"args":{"body":{"items":[{` + args + `}]}}}]}}`))),
				"a receipt":     string(e.Frame([]byte(`{"edited_args":{"signature":{` + args + `}}}`))),
				"behind a list": string(e.Frame([]byte(`{"items":[{"id":"a"}],"args":[[1],{` + args + `}]}`))),
			} {
				if !json.Valid([]byte(out)) || !strings.Contains(out, "[REDACTED:") || left(out, secret) > len(secret)/2 && left(out, secret) > 16 {
					t.Errorf("%s as %q in %s: %s", what, name, where, out)
				}
			}
		}
	}
}

// TestFrame_sentence: even in our own fields a value is read as closely as any text when it can be one.
func TestFrame_sentence(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	e := New()
	for _, name := range sparing() {
		for what, secret := range credentials(r) {
			if base64Only(secret) && sealedFields[name] && len(secret) >= sealedLeast {
				continue // the one place where chance makes such forms
			}
			if out := e.Frame([]byte("{" + string(quoted(name)) + ":" + string(quoted(secret)) + "}")); !bytes.Contains(out, []byte("[REDACTED:")) {
				t.Errorf("%s as %q: %s", what, name, out)
			}
		}
	}
}

// TestBytes_namedSecrets: a value that is secret for its name alone.
func TestBytes_namedSecrets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	e := New()
	for _, name := range []string{"credential", "key", "secret_id", "password_hash", "seal_key"} {
		value := some(r, alnum, 24)
		if _, found := e.Scan(name + `="` + value + `"`); len(found) == 0 {
			t.Fatalf("%s is no name of a secret", name)
		}
		for _, in := range []string{`{"` + name + `":"` + value + `"}`, `{"note":"a\nb","` + name + `":"` + value + `"}`} {
			if out := e.Bytes([]byte(in)); bytes.Contains(out, []byte(value)) {
				t.Errorf("%s: %s", in, out)
			}
		}
	}
}

// TestBytes_notAsFrame: that a frame was clean a moment ago says nothing about a text of the same bytes.
func TestBytes_notAsFrame(t *testing.T) {
	t.Parallel()
	e := New()
	in := []byte(`{"sig":"` + "ghp_" + some(rng(4), alnum, 80) + `","credential":"` + some(rng(5), alnum, 24) + `"}`)
	if out := e.Frame(in); !bytes.Equal(out, in) {
		t.Fatalf("%s", out)
	}
	if out := e.Bytes(in); bytes.Equal(out, in) {
		t.Error("a text leaves as a frame does")
	}
}
