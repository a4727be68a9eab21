package main

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"gatehouse/app/audit"
	"gatehouse/app/provider/objectstore"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
)

// TestFiles_moved: a photo that was kept in the folder is in the bucket once files are kept there and somebody looked at it, and comes back
// likewise; one that is removed is removed wherever it lies.
func TestFiles_moved(t *testing.T) {
	t.Parallel()
	objects := s3mem.New()
	ok(t, objects.CreateBucket("photos"))
	srv := httptest.NewServer(gofakes3.New(objects).Server())
	t.Cleanup(srv.Close)
	p := openTestParts(t, nil)
	by := audit.Actor{Kind: audit.System, Name: "test"}
	m, _, err := p.staff.Create(t.Context(), staff.NewMember{
		Email: "ada@example.net", Role: staff.Owner, Password: "three quiet bakers at dawn",
	}, by)
	ok(t, err)
	var drawn bytes.Buffer
	ok(t, png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 200, 200))))
	by = audit.Actor{Kind: audit.Staff, ID: string(m.ID), Name: m.Email, Role: string(m.Role)}
	ok(t, p.staff.SetPhoto(t.Context(), m.ID, drawn.Bytes(), by))
	first, err := p.staff.Photo(t.Context(), m.ID)
	ok(t, err)
	lies := func(inFolder, inBucket int) {
		t.Helper()
		left, err := os.ReadDir(p.staff.Photos.(kept).dir)
		ok(t, err)
		there, err := objects.ListBucket("photos", &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
		ok(t, err)
		if len(left) != inFolder || len(there.Contents) != inBucket {
			t.Errorf("%d in the folder, %d in the bucket; want %d and %d", len(left), len(there.Contents), inFolder, inBucket)
		}
	}
	lies(1, 0)
	for key, value := range map[setting.Key]string{
		setting.FilesEndpoint: srv.URL, setting.FilesBucket: "photos", setting.FilesKeyID: "id", setting.FilesKey: "a key of the test",
	} {
		set(t, p, key, value)
	}
	for _, c := range []struct {
		in                 string
		inFolder, inBucket int
	}{{"s3", 0, 1}, {"folder", 1, 0}, {"s3", 0, 1}} {
		set(t, p, setting.FilesIn, c.in)
		got, err := p.staff.Photo(t.Context(), m.ID)
		if err != nil || !bytes.Equal(got, first) {
			t.Errorf("kept in %s: %d bytes of %d, %v", c.in, len(got), len(first), err)
		}
		lies(c.inFolder, c.inBucket)
	}
	set(t, p, setting.FilesIn, "folder")
	ok(t, p.staff.RemovePhoto(t.Context(), m.ID, by))
	lies(0, 0)
	if _, err := p.staff.Photos.Get(t.Context(), "staff-of-nobody.jpg"); !errors.Is(err, objectstore.ErrNone) {
		t.Errorf("a file that was never kept: %v", err)
	}
}
