package file_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// sign is what the script signs for an act.
func (d *desk) sign(by wire.Signer, a wire.FileAct) string {
	d.t.Helper()
	body, err := canonical.Of(a)
	portaltest.Must(d.t, err)
	now := time.Now().UTC().Truncate(time.Second)
	sig, err := by.Sign(wire.ChangeText(string(d.of.Server), wire.ChangeFile, canonical.Sum(body), 1, now), now)
	portaltest.Must(d.t, err)
	return text(d.t, sig)
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	portaltest.Must(t, err)
	return string(raw)
}

// sending is an upload as a browser makes it.
type sending struct {
	*desk
	content []byte
	parts   []string
	act     wire.FileAct
	key     string // what the stretches are sealed to
}

func (d *desk) sending(path string, content []byte) *sending {
	s := &sending{desk: d, content: content, key: base64.RawURLEncoding.EncodeToString(d.box.PublicKey().Bytes())}
	for at := 0; at < len(content); at += wire.FilePartSize {
		sum := sha256.Sum256(s.stretch(at / wire.FilePartSize))
		s.parts = append(s.parts, hex.EncodeToString(sum[:]))
	}
	size := int64(len(content))
	s.act = wire.FileAct{ID: portaltest.NewID(), Do: wire.FileDoUpload, Path: path, Size: size, Hash: wire.PartsHash(size, s.parts)}
	return s
}

func (s *sending) stretch(i int) []byte {
	return s.content[i*wire.FilePartSize : min((i+1)*wire.FilePartSize, len(s.content))]
}

// begin gives the status, and how far the upload is.
func (s *sending) begin(signature string) (int, wire.FileUploading) {
	s.t.Helper()
	form := url.Values{"act": {text(s.t, s.act)}, "parts": {strings.Join(s.parts, "")}, "signature": {signature}}
	return answered[wire.FileUploading](s.desk, "/app/files/upload", form)
}

func (s *sending) part(i int, plain []byte) (int, wire.FileUploading) {
	s.t.Helper()
	box, err := wire.SealFile(s.key, wire.FilePurpose{
		Method: wire.MethodFilesPart, ServerID: string(s.of.Server), Name: s.act.ID, Version: s.parts[i],
		Offset: int64(i) * wire.FilePartSize,
	}, plain)
	portaltest.Must(s.t, err)
	form := url.Values{"id": {s.act.ID}, "index": {strconv.Itoa(i)}, "box": {base64.RawURLEncoding.EncodeToString(box)}}
	return answered[wire.FileUploading](s.desk, "/app/files/part", form)
}

func (s *sending) finish() int {
	s.t.Helper()
	status, _ := answered[wire.FileInfo](s.desk, "/app/files/finish", url.Values{"id": {s.act.ID}})
	return status
}

func answered[T any](d *desk, path string, form url.Values) (int, T) {
	d.t.Helper()
	var out T
	got := d.Post(path, form)
	if got.StatusCode == http.StatusOK {
		portaltest.Must(d.t, json.Unmarshal([]byte(got.Source), &out))
	}
	return got.StatusCode, out
}

func noise(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// wantStatus checks what came of a step.
func wantStatus(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %d, want %d", what, got, want)
	}
}

// TestUpload: a file arrives stretch by stretch, goes on where it was cut, is in its place only when it is whole, and is on
// record with who signed for it.
func TestUpload(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.sending("Letters/new.bin", noise(2*wire.FilePartSize+77))
	portaltest.Must(t, os.Mkdir(filepath.Join(d.Data, "Letters"), 0o755))
	signature := d.sign(portaltest.Signer(), s.act)
	status, _ := s.begin(signature)
	wantStatus(t, "begin", status, http.StatusOK)
	status, _ = s.part(0, s.stretch(0))
	wantStatus(t, "first", status, http.StatusOK)
	d.peer.Away(t) // cut in the middle
	status, _ = s.part(1, s.stretch(1))
	wantStatus(t, "away", status, http.StatusServiceUnavailable)
	d.peer.Back(t)
	status, at := s.begin("") // it goes on without another signature
	if wantStatus(t, "go on", status, http.StatusOK); at.Next != 1 || at.Done {
		t.Fatalf("%+v", at)
	}
	wantStatus(t, "not whole", s.finish(), http.StatusUnprocessableEntity)
	if status, _ = s.part(2, s.stretch(2)); status == http.StatusOK {
		t.Error("a stretch before its turn was taken")
	}
	for i := range 3 { // the first one comes twice
		status, at = s.part(i, s.stretch(i))
		wantStatus(t, "part", status, http.StatusOK)
	}
	if d.Has("Letters/new.bin") {
		t.Error("it is there before it is finished")
	}
	wantStatus(t, "finish", s.finish(), http.StatusOK)
	wantStatus(t, "finish again", s.finish(), http.StatusOK)
	if d.Read(t, "Letters/new.bin") != string(s.content) {
		t.Error("it is another file")
	}
	sum := sha256.Sum256(s.content)
	done, allowed := d.receipts("file.done"), d.receipts("file.allowed")
	if len(done) != 1 || !strings.Contains(done[0], hex.EncodeToString(sum[:])) || !strings.Contains(done[0], d.of.Email) {
		t.Errorf("done: %s", done)
	}
	if len(allowed) != 1 || !strings.Contains(allowed[0], portaltest.Signer().KeyID) {
		t.Errorf("allowed: %s", allowed)
	}
	var source string
	row := d.db.Read().QueryRowContext(t.Context(), "SELECT source FROM derived_files WHERE path = 'Letters/new.bin'")
	if err := row.Scan(&source); err != nil || source != "upload" {
		t.Errorf("it counts as %q, %v", source, err)
	}
	if left, _ := filepath.Glob(filepath.Join(d.State, "uploads", "*", "data")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestUpload_forged: a hub can neither begin an upload by itself, nor change what, where or how much a person signed for.
func TestUpload_forged(t *testing.T) {
	t.Parallel()
	d := open(t)
	forge := func(change func(*sending)) *sending {
		s := d.sending("a.txt", []byte("what the owner sent"))
		signed := s.act
		change(s)
		signature := d.sign(portaltest.Signer(), signed)
		if s.act == signed {
			signature = ""
		}
		if status, _ := s.begin(signature); status == http.StatusOK {
			t.Errorf("%+v was begun", s.act)
		}
		return s
	}
	forge(func(*sending) {}) // unsigned
	forge(func(s *sending) { s.act.Path = "b.txt" })
	forge(func(s *sending) { s.act.Own = true })
	forge(func(s *sending) { *s = *d.sending("a.txt", []byte("what the hub sent")) })
	stranger := d.sending("a.txt", []byte("x"))
	if status, _ := stranger.begin(d.sign(portaltest.Stranger(), stranger.act)); status != http.StatusForbidden {
		t.Errorf("by a key that may not: %d", status)
	}
	s := d.sending("a.txt", []byte("what the owner sent"))
	status, _ := s.begin(d.sign(portaltest.Signer(), s.act))
	wantStatus(t, "begin", status, http.StatusOK)
	status, _ = s.part(0, []byte("what the hub sent .")) // as long, sealed well, but another hash
	wantStatus(t, "another content", status, http.StatusConflict)
	s.act.Path = "c.txt" // of an upload that is under way
	if status, _ = s.begin(""); status == http.StatusOK {
		t.Error("the place was changed")
	}
	if entries, err := os.ReadDir(d.Data); err != nil || len(entries) != 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
}

// TestUpload_spoiled: what lies on the disk is looked at once more before it takes its place.
func TestUpload_spoiled(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.sending("a.bin", noise(wire.FilePartSize+5))
	status, _ := s.begin(d.sign(portaltest.Signer(), s.act))
	wantStatus(t, "begin", status, http.StatusOK)
	for i := range s.parts {
		status, _ = s.part(i, s.stretch(i))
		wantStatus(t, "part", status, http.StatusOK)
	}
	data := filepath.Join(d.State, "uploads", s.act.ID, "data")
	raw, err := os.ReadFile(data)
	portaltest.Must(t, err)
	raw[len(raw)-1] ^= 1
	portaltest.Must(t, os.WriteFile(data, raw, 0o600))
	wantStatus(t, "finish", s.finish(), http.StatusConflict)
	entries, err := os.ReadDir(d.Data)
	if err != nil || len(entries) != 0 || len(d.receipts("file.failed")) != 1 {
		t.Errorf("there is %v, %v; %q", entries, err, d.receipts("file.failed"))
	}
}

// TestUpload_refused: nothing is written outside, over what was not seen, under names that mean something, or on a full disk.
func TestUpload_refused(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"there.txt": "old", "dir/x": ""})
	d.link(d.Path, "up")
	for _, path := range []string{
		"../a.txt", "/tmp/a.txt", "up/a.txt", ".ssh/id", ".env", "x.pem", "there.txt/a.txt", "up/none/a.txt", ".ssh/none/id", "there.txt",
		"dir", "", ".", ".gatehouse-x", ".bashrc", "a\x00b",
	} {
		s := d.sending(path, []byte("x"))
		if status, _ := s.begin(d.sign(portaltest.Signer(), s.act)); status < 400 {
			t.Errorf("%q: %d", path, status)
		}
	}
	big := d.sending("big.bin", []byte("x"))
	big.act.Size = wire.MaxUpload + 1
	if status, _ := big.begin(d.sign(portaltest.Signer(), big.act)); status != http.StatusConflict {
		t.Errorf("too large: %d", status)
	}
	d.free = 256_000_000
	s := d.sending("a.txt", []byte("x"))
	if status, _ := s.begin(d.sign(portaltest.Signer(), s.act)); status != http.StatusConflict {
		t.Errorf("full disk: %d", status)
	}
	if len(d.receipts("file.allowed")) != 0 || d.Read(t, "there.txt") != "old" {
		t.Error("something was allowed")
	}
}
