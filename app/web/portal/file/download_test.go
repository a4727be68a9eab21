package file_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestDownload: a file comes stretch by stretch, each sealed to the key that asked and bound to its place; the hub passes on
// what it cannot read, as an attachment that no browser takes for a page.
func TestDownload(t *testing.T) {
	t.Parallel()
	d := open(t)
	want := make([]byte, 2*wire.FilePartSize+1000)
	_, _ = rand.Read(want)
	copy(want, "in clear, in clear, in clear")
	portaltest.Must(t, os.WriteFile(filepath.Join(d.Data, "Änderung 1.bin"), want, 0o600))
	form := d.Get(at("/app/files/view", "Änderung 1.bin")).Find("form[data-download]")
	version := form.AttrOr("data-version", "")
	own, public, err := wire.NewSecretKey()
	portaltest.Must(t, err)
	var have []byte
	for len(have) < len(want) {
		got := d.Get(at("/app/files/download", "Änderung 1.bin", "version", version, "offset", strconv.Itoa(len(have)), "key", public))
		for name, value := range map[string]string{
			"Content-Disposition": "attachment; filename*=utf-8''%C3%84nderung%201.bin", "X-Content-Type-Options": "nosniff",
			"Content-Type": "application/octet-stream", "File-Size": strconv.Itoa(len(want)), "Cache-Control": "no-store",
		} {
			if got.StatusCode != http.StatusOK || got.Header.Get(name) != value {
				t.Fatalf("%d: %v", got.StatusCode, got.Header)
			}
		}
		if strings.Contains(got.Source, "in clear") || len(got.Source) > wire.FilePartSize+1024 {
			t.Fatalf("%d bytes, some of them in clear", len(got.Source))
		}
		p := wire.FilePurpose{
			Method: wire.MethodFilesRead, ServerID: string(d.of.Server), Name: "Änderung 1.bin", Version: version, Offset: int64(len(have)),
		}
		part, err := wire.OpenFile(own, p, []byte(got.Source))
		portaltest.Must(t, err)
		p.Offset++
		if _, err := wire.OpenFile(own, p, []byte(got.Source)); err == nil {
			t.Error("it opens in another place")
		}
		have = append(have, part...)
	}
	if !bytes.Equal(have, want) {
		t.Error("it is another file")
	}
	d.Write(t, map[string]string{"Änderung 1.bin": "changed"})
	got := d.Get(at("/app/files/download", "Änderung 1.bin", "version", version, "offset", "0", "key", public))
	if got.StatusCode != http.StatusConflict {
		t.Errorf("of a file that was changed: %d", got.StatusCode)
	}
	got = d.Get(at("/app/files/download", "Änderung 1.bin"))
	if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Source, "JavaScript") {
		t.Errorf("without a key: %d", got.StatusCode)
	}
}
