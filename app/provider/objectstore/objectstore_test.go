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
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"gatehouse/app/provider/objectstore"
)

type store interface {
	Put(ctx context.Context, name string, data []byte) error
	Get(ctx context.Context, name string) ([]byte, error)
	Delete(ctx context.Context, name string) error
}

// bucket is a server that speaks S3 with one bucket, for who has the key.
func bucket(t *testing.T) string {
	t.Helper()
	files := s3mem.New()
	if err := files.CreateBucket("photos"); err != nil {
		t.Fatal(err)
	}
	server := gofakes3.New(files).Server()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=key-of-the-test/") {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>InvalidAccessKeyId</Code><Message>no</Message></Error>`)
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// TestStores: a file that was kept is read and replaced, one that was deleted is gone, and no name leads out of the place.
func TestStores(t *testing.T) {
	t.Parallel()
	access := objectstore.Access{Endpoint: bucket(t), Region: "eu-central-1", Bucket: "photos", KeyID: "key-of-the-test", Key: "secret"}
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
