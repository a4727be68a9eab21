package objectstore_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gatehouse/app/provider/objectstore"
)

type store interface {
	Put(ctx context.Context, name string, data []byte) error
	Get(ctx context.Context, name string) ([]byte, error)
	Delete(ctx context.Context, name string) error
}

// bucket speaks as much of the protocol of S3 as objects need: each request signed for its key, and errors as XML.
type bucket struct {
	mu    sync.Mutex
	files map[string][]byte
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refuse := func(status int, code string) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>`+code+`</Code><Message>no</Message></Error>`)
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key-of-the-test/") {
		refuse(http.StatusForbidden, "InvalidAccessKeyId")
		return
	}
	name, found := strings.CutPrefix(r.URL.Path, "/photos/")
	if !found {
		refuse(http.StatusNotFound, "NoSuchBucket")
		return
	}
	switch r.Method {
	case http.MethodPut:
		data, _ := io.ReadAll(r.Body)
		if r.Header.Get("X-Amz-Decoded-Content-Length") != "" { // chunks, each with its signature
			data = unchunked(data)
		}
		b.files[name] = data
		w.Header().Set("ETag", `"1"`)
	case http.MethodGet, http.MethodHead:
		data, there := b.files[name]
		if !there {
			refuse(http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		_, _ = w.Write(data)
	case http.MethodDelete:
		delete(b.files, name)
		w.WriteHeader(http.StatusNoContent)
	}
}

// unchunked takes the sizes and signatures out of a body that came in chunks.
func unchunked(body []byte) (data []byte) {
	rest := string(body)
	for rest != "" {
		head, after, found := strings.Cut(rest, "\r\n")
		size, _, _ := strings.Cut(head, ";")
		n := 0
		for _, d := range size {
			n = n*16 + strings.IndexRune("0123456789abcdef", d)
		}
		if !found || n == 0 || n > len(after) {
			return data
		}
		data, rest = append(data, after[:n]...), strings.TrimPrefix(after[n:], "\r\n")
	}
	return data
}

// TestStores: a file that was kept is read and replaced, one that was deleted is gone, and no name leads out of the place.
func TestStores(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(&bucket{files: map[string][]byte{}})
	t.Cleanup(srv.Close)
	access := objectstore.Access{Endpoint: srv.URL, Region: "eu-central-1", Bucket: "photos", KeyID: "key-of-the-test", Key: "secret"}
	s3, err := objectstore.NewS3(access)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, s := range map[string]store{"folder": objectstore.Folder{Dir: filepath.Join(dir, "photos")}, "S3": s3} {
		for _, text := range []string{"first", strings.Repeat("second ", 20_000)} {
			if err := s.Put(t.Context(), "a.jpg", []byte(text)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := s.Get(t.Context(), "a.jpg"); err != nil || string(got) != text {
				t.Errorf("%s: read %d bytes of %d, %v", name, len(got), len(text), err)
			}
		}
		for range 2 {
			if err := s.Delete(t.Context(), "a.jpg"); err != nil {
				t.Errorf("%s: delete: %v", name, err)
			}
		}
		if _, err := s.Get(t.Context(), "a.jpg"); !errors.Is(err, objectstore.ErrNone) {
			t.Errorf("%s: after it was deleted: %v", name, err)
		}
		for _, bad := range []string{"", "../a.jpg", "a/b", ".hidden", "A.jpg"} {
			if err := s.Put(t.Context(), bad, []byte("x")); !errors.Is(err, objectstore.ErrNone) {
				t.Errorf("%s: kept %q: %v", name, bad, err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	access.KeyID = "somebody"
	stranger, err := objectstore.NewS3(access)
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Put(t.Context(), "a.jpg", []byte("x")); err == nil || errors.Is(err, objectstore.ErrNone) {
		t.Errorf("with a wrong key: %v", err)
	}
}
