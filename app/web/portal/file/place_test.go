package file_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// placeOf asks where a file that goes with a message can lie.
func (d *desk) placeOf(month, name string) (status int, path string) {
	d.t.Helper()
	got := d.Get("/app/files/place?" + url.Values{"month": {month}, "name": {name}}.Encode())
	var out struct {
		Path, Server string
		Config       int64
	}
	if got.StatusCode != http.StatusOK {
		return got.StatusCode, ""
	}
	portaltest.Must(d.t, json.Unmarshal([]byte(got.Source), &out))
	if out.Server != string(d.of.Server) || out.Config != 1 {
		d.t.Errorf("a signature would be bound to %+v", out)
	}
	return got.StatusCode, out.Path
}

// TestPlace: a file that goes with a message takes the place of none, and its name leads nowhere else.
func TestPlace(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.Write(t, map[string]string{"Uploads/2026-11/offer.txt": "1", "Uploads/2026-11/offer (2).txt": "2", "Uploads/2026-11/folder/a": "3"})
	for name, want := range map[string]string{
		"offer.txt": "Uploads/2026-11/offer (3).txt", "folder": "Uploads/2026-11/folder (2)", "new.txt": "Uploads/2026-11/new.txt",
		"Preise für März.txt": "Uploads/2026-11/Preise für März.txt",
	} {
		if status, got := d.placeOf("2026-11", name); status != http.StatusOK || got != want {
			t.Errorf("%s: %d %q, want %q", name, status, got, want)
		}
	}
	if _, got := d.placeOf("2026-12", "offer.txt"); got != "Uploads/2026-12/offer.txt" {
		t.Errorf("in a month without a folder: %q", got)
	}
	for _, bad := range [][2]string{
		{"2026-11", ""}, {"2026-11", ".."}, {"2026-11", "../x"}, {"2026-11", "a/b"}, {"2026-13", "x"}, {"../..", "x"}, {"", "x"},
	} {
		if status, got := d.placeOf(bad[0], bad[1]); status != http.StatusUnprocessableEntity {
			t.Errorf("%q: %d %q", bad, status, got)
		}
	}
	d.peer.Away(t)
	if status, _ := d.placeOf("2026-11", "x"); status != http.StatusServiceUnavailable {
		t.Errorf("while the server is away: %d", status)
	}
}

// TestUpload_makesFolders: what is uploaded makes the folders above it once it is whole, and none where none may be.
func TestUpload_makesFolders(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.sending("Uploads/2026-11/a.txt", []byte("Rye bread"))
	status, _ := s.begin(d.sign(portaltest.Signer(), s.act))
	wantStatus(t, "begin", status, http.StatusOK)
	if d.Has("Uploads") {
		t.Error("the folder is there before the file is whole")
	}
	status, _ = s.part(0, s.stretch(0))
	wantStatus(t, "part", status, http.StatusOK)
	wantStatus(t, "finish", s.finish(), http.StatusOK)
	if got := d.Read(t, "Uploads/2026-11/a.txt"); got != "Rye bread" {
		t.Errorf("it holds %q", got)
	}
	outside := t.TempDir()
	d.link(outside, "out")
	d.Write(t, map[string]string{"file": "x"})
	for _, path := range []string{"out/new/a.txt", "file/new/a.txt", "../new/a.txt", ".ssh/new/a.txt"} {
		s := d.sending(path, []byte("Rye bread"))
		status, _ := s.begin(d.sign(portaltest.Signer(), s.act))
		if status == http.StatusOK {
			s.part(0, s.stretch(0))
			status = s.finish()
		}
		if status == http.StatusOK {
			t.Errorf("%s was written", path)
		}
	}
	entries, err := os.ReadDir(outside)
	portaltest.Must(t, err)
	if d.Has(".ssh") || len(entries) != 0 {
		t.Error("folders were made where none may be")
	}
}
