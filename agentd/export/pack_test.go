package export_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatehouse/agentd/export"
	"gatehouse/agentd/wire"
)

// packed downloads the archive of files as a browser does, and opens each stretch.
func (r *rig) packed(e wire.Export) map[string]string {
	r.t.Helper()
	own, key, _ := wire.NewSecretKey() // it never fails
	var all []byte
	for at := int64(0); at < e.Files.Size; {
		got, err := ask[wire.Boxed](r, wire.MethodExportFiles, wire.ExportFilesRead{ID: e.ID, Offset: at, ReplyKey: key})
		if err != nil {
			r.t.Fatal(err)
		}
		part, err := wire.OpenFile(own, wire.FilePurpose{
			Method: wire.MethodExportFiles, ServerID: "server", Name: wire.ExportFilesName, Version: e.ID, Offset: at,
		}, got.Box)
		if err != nil || len(part) == 0 {
			r.t.Fatalf("at %d: %d bytes, %v", at, len(part), err)
		}
		all, at = append(all, part...), at+int64(len(part))
	}
	return unzip(r.t, all)
}

// index reads which files are left out, and why.
func index(t *testing.T, text string) map[string]wire.ExportWhy {
	t.Helper()
	out := map[string]wire.ExportWhy{}
	for line := range strings.Lines(text) {
		var e struct {
			Path    string
			LeftOut wire.ExportWhy `json:"left_out"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out[e.Path] = e.LeftOut
	}
	return out
}

// fickle deletes a file between the look at it and its opening.
type fickle struct {
	export.Files
	gone, below string
}

func (f fickle) OpenPlain(name string) (*os.File, fs.FileInfo, error) {
	if name == f.gone {
		_ = os.Remove(filepath.Join(f.below, name)) // the test asserts what is made of it
	}
	return f.Files.OpenPlain(name)
}

// TestExport_files: the files of the business are in an archive of their own, byte by byte; what is left out stands in its index
// and in the answer, with the reason; the bytes come sealed.
func TestExport_files(t *testing.T) {
	t.Parallel()
	r := start(t, &server{})
	noise := make([]byte, 3*wire.ExportPartSize/2)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	want := map[string]string{"letters/opening hours.txt": "The key is " + token, "Bilder/Größe.bin": string(noise), "empty.txt": ""}
	r.Write(t, want)
	r.Write(t, map[string]string{".env": "A=1", ".ssh/id_rsa": "key", "going.txt": "going", ".gatehouse-half": "half"})
	if err := os.Symlink("/etc/hostname", filepath.Join(r.Data, "link")); err != nil {
		t.Fatal(err)
	}
	r.shelf = fickle{r.shelf, "going.txt", r.Data}
	r.restart()
	e := r.made()
	files := r.packed(e)
	left := index(t, files["index.jsonl"])
	for name, text := range want {
		if files["files/"+name] != text || left[name] != "" {
			t.Errorf("%s: %d of %d bytes, %q", name, len(files["files/"+name]), len(text), left[name])
		}
	}
	if len(files) != len(want)+2 || !strings.Contains(files["README.md"], "left_out") {
		t.Errorf("it holds %v", slices.Collect(maps.Keys(files)))
	}
	for name, why := range map[string]wire.ExportWhy{
		".env": wire.ExportClosed, ".ssh": wire.ExportClosed, "link": wire.ExportOther, "going.txt": wire.ExportChanged,
	} {
		told := func(l wire.ExportLeft) bool { return l.Why == why && slices.Contains(l.Some, name) }
		if left[name] != why || !slices.ContainsFunc(e.Files.Left, told) {
			t.Errorf("%s is left out as %q; told is %+v", name, left[name], e.Files.Left)
		}
	}
	if _, hidden := left[".gatehouse-half"]; hidden || e.Files.Count != len(want) {
		t.Errorf("%d files are counted; the index has %v", e.Files.Count, left)
	}
	for name, text := range unzip(t, r.download(e, 0)) {
		if strings.Contains(text, "opening hours") || bytes.Contains([]byte(text), noise[:64]) {
			t.Errorf("%s of the archive that is not sealed holds a file", name)
		}
	}
	got, err := ask[wire.Boxed](r, wire.MethodExportFiles, wire.ExportFilesRead{ID: e.ID, ReplyKey: "none"})
	if err == nil {
		t.Errorf("without a key come %d bytes", len(got.Box))
	}
	r.ex.Close()
	r.restart()
	now, err := ask[wire.Export](r, wire.MethodExportGet, nil)
	if err != nil || now.Files == nil || now.Files.Count != len(want) || len(r.packed(now)) != len(files) {
		t.Errorf("after a restart: %+v, %v", now.Files, err)
	}
}

// TestExport_filesBound: what goes over the bound is left out and told; smaller files behind it are in.
func TestExport_filesBound(t *testing.T) {
	t.Parallel()
	r := start(t, &server{})
	r.Write(t, map[string]string{"a.txt": "small", "c.txt": "small, too"})
	for name, size := range map[string]int64{"b1.iso": wire.ExportFilesMax, "b2.iso": 1 << 20} {
		f, err := os.Create(filepath.Join(r.Data, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	files := r.packed(r.made())
	left := index(t, files["index.jsonl"])
	if left["b1.iso"] != wire.ExportOver || left["b2.iso"] != "" || files["files/c.txt"] != "small, too" {
		t.Errorf("left out is %v", left)
	}
	r.free = 1<<30 + 1000
	e := r.made()
	files = r.packed(e)
	if left := index(t, files["index.jsonl"]); left["b2.iso"] != wire.ExportNoRoom || files["files/a.txt"] != "small" {
		t.Errorf("on a full disk %v is left out", left)
	}
	if !slices.ContainsFunc(e.Files.Left, func(l wire.ExportLeft) bool { return l.Why == wire.ExportNoRoom && l.Count == 2 }) {
		t.Errorf("told is %+v", e.Files.Left)
	}
}
