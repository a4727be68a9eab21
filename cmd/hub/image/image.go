package image

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Tag is what the image is called once it is loaded.
const Tag = "gatehouse/hub:latest"

// user is who the hub runs as in a container: nobody that a machine knows.
const user = 65532

// Where things stand in the image.
const (
	programs = "usr/local/bin"
	state    = "var/lib/gatehouse"
	roots    = "etc/ssl/certs/ca-certificates.crt"
	address  = "8080/tcp"
)

// Parts are the files of this computer that go into an image. The programs must be static.
type Parts struct {
	Hub, Agentd string
	Roots       string // certificates of the authorities that public servers are known by, PEM
}

// Write puts an image into a file that `docker load` and `podman load` read. The same parts make the same image.
func Write(to string, p Parts) error {
	img, err := build(p)
	if err != nil {
		return fmt.Errorf("make image: %w", err)
	}
	tag, err := name.NewTag(Tag)
	if err != nil {
		return fmt.Errorf("make image: %w", err)
	}
	if err := tarball.WriteToFile(to, tag, img); err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	return nil
}

func build(p Parts) (v1.Image, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil })
	if err != nil {
		return nil, err
	}
	img, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = runtime.GOOS, runtime.GOARCH
	file.Config = v1.Config{
		Entrypoint:   []string{"/" + path.Join(programs, "hub")},
		Cmd:          []string{"serve"},
		User:         fmt.Sprintf("%d:%[1]d", user),
		WorkingDir:   "/" + state,
		Env:          []string{"PATH=/" + programs, "GATEHOUSE_DIR=/" + state, "HUB_ADDR=0.0.0.0:8080"},
		ExposedPorts: map[string]struct{}{address: {}},
		Volumes:      map[string]struct{}{"/" + state: {}},
		StopSignal:   "SIGTERM",
	}
	return mutate.ConfigFile(img, file)
}

// files is everything in the image, as one archive. No time and no user of this computer is in it.
func (p Parts) files() ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, dir := range []struct {
		name        string
		mode, owner int
	}{
		{"etc/ssl/certs", 0o755, 0},
		{programs, 0o755, 0},
		{state, 0o700, user},
		{"tmp", 0o1777, 0},
	} {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: dir.name + "/", Mode: int64(dir.mode), Uid: dir.owner, Gid: dir.owner}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct {
		name, from string
		mode       int64
	}{
		{path.Join(programs, "hub"), p.Hub, 0o755},
		{path.Join(programs, "agentd"), p.Agentd, 0o755},
		{roots, p.Roots, 0o644},
	} {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(content))}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
