package startpage

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServe: the page is there after a run that left its socket behind, says the name as text, and nothing else is answered.
func TestServe(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "page.sock")
	old, err := net.Listen("unix", socket)
	must(t, err)
	old.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, old.Close())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	listening := make(chan struct{})
	go func() { ended <- serve(ctx, socket, Handler("team.<b>.example"), func() { close(listening) }) }()
	<-listening
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	for path, want := range map[string]struct {
		status int
		says   string
	}{"/": {200, "<h1>team.&lt;b&gt;.example</h1>"}, "/else": {404, "not found"}} {
		r, err := client.Get("http://server" + path)
		must(t, err)
		text, err := io.ReadAll(r.Body)
		must(t, err)
		if r.StatusCode != want.status || !strings.Contains(string(text), want.says) {
			t.Errorf("%s: %d %s", path, r.StatusCode, text)
		}
	}
	if at, err := os.Stat(socket); err != nil || at.Mode().Perm() != 0o666 {
		t.Errorf("the socket: %v, %v", at.Mode(), err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
