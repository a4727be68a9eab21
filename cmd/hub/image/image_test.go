package image_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gatehouse/cmd/hub/image"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrite: an image holds what it is made of and nothing else, starts the hub as nobody in particular, and comes out the same
// each time.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range []string{"hub", "agentd", "roots"} {
		must(t, os.WriteFile(filepath.Join(dir, f), []byte("what "+f+" is"), 0o600))
	}
	p := image.Parts{Hub: filepath.Join(dir, "hub"), Agentd: filepath.Join(dir, "agentd"), Roots: filepath.Join(dir, "roots")}
	var digests []string
	for _, to := range []string{"a.tar", "b.tar"} {
		must(t, image.Write(filepath.Join(dir, to), p))
		img, err := tarball.ImageFromPath(filepath.Join(dir, to), nil)
		must(t, err)
		d, err := img.Digest()
		must(t, err)
		digests = append(digests, d.String())
	}
	if digests[0] != digests[1] {
		t.Errorf("two images of the same parts: %q", digests)
	}
	img, err := tarball.ImageFromPath(filepath.Join(dir, "a.tar"), nil)
	must(t, err)
	config, err := img.ConfigFile()
	must(t, err)
	if c := config.Config; c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/local/bin/hub"}) ||
		!slices.Equal(c.Cmd, []string{"serve"}) {
		t.Errorf("it starts as %+v", c)
	}
	layers, err := img.Layers()
	must(t, err)
	if len(layers) != 1 {
		t.Fatalf("%d layers", len(layers))
	}
	rc, err := layers[0].Uncompressed()
	must(t, err)
	defer func() { must(t, rc.Close()) }()
	want := map[string]string{
		"etc/ssl/certs/": "", "usr/local/bin/": "", "var/lib/gatehouse/": "", "tmp/": "", "usr/local/bin/hub": "what hub is",
		"usr/local/bin/agentd": "what agentd is", "etc/ssl/certs/ca-certificates.crt": "what roots is",
	}
	for r := tar.NewReader(rc); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		content, err := io.ReadAll(r)
		must(t, err)
		if text, ok := want[h.Name]; !ok || text != string(content) {
			t.Errorf("%s holds %q", h.Name, content)
		}
		delete(want, h.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// TestWrite_lacks: a part that is not there is named, and no image is left.
func TestWrite_lacks(t *testing.T) {
	t.Parallel()
	to := filepath.Join(t.TempDir(), "hub.tar")
	if err := image.Write(to, image.Parts{Hub: "/nowhere/hub"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an image was left: %v", err)
	}
}
