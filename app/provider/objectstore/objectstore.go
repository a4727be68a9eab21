package objectstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"gatehouse/app/fault"
)

// ErrNone says that there is no such file.
var ErrNone = fault.New(fault.NotFound, "no-file", "no such file is kept", "There is no such file.")

// maxFile is how much of a file is read.
const maxFile = 16 << 20

// nameShape is what files are called: no way leads out of their folder.
var nameShape = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,199}$`)

func checked(name string) error {
	if !nameShape.MatchString(name) {
		return fmt.Errorf("file %q: %w", name, ErrNone)
	}
	return nil
}

// Folder keeps files on this machine.
type Folder struct{ Dir string }

// Put keeps a file: whole or not at all.
func (f Folder) Put(_ context.Context, name string, data []byte) error {
	if err := checked(name); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(f.Dir, ".part-") // 0600
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), filepath.Join(f.Dir, name))
}

// Get reads a file, or answers ErrNone.
func (f Folder) Get(_ context.Context, name string) ([]byte, error) {
	if err := checked(name); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(f.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	return data, err
}

// Delete removes a file; one that is gone is fine.
func (f Folder) Delete(_ context.Context, name string) error {
	if err := checked(name); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(f.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// S3 keeps files in a bucket.
type S3 struct {
	bucket string
	client *minio.Client
}

// Access is where a bucket is and who may use it.
type Access struct {
	Endpoint string // https://s3.example.com
	Region   string
	Bucket   string
	KeyID    string
	Key      string
}

// NewS3 makes an S3. It asks nothing yet.
func NewS3(a Access) (*S3, error) {
	u, err := url.Parse(a.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("S3: %w", err)
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(a.KeyID, a.Key, ""), Secure: u.Scheme == "https", Region: a.Region, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("S3: %w", err)
	}
	return &S3{bucket: a.Bucket, client: client}, nil
}

// Put keeps a file.
func (s *S3) Put(ctx context.Context, name string, data []byte) error {
	if err := checked(name); err != nil {
		return err
	}
	_, err := s.client.PutObject(ctx, s.bucket, name, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{})
	return named("keep", name, err)
}

// Get reads a file, or answers ErrNone.
func (s *S3) Get(ctx context.Context, name string) ([]byte, error) {
	if err := checked(name); err != nil {
		return nil, err
	}
	o, err := s.client.GetObject(ctx, s.bucket, name, minio.GetObjectOptions{})
	if err != nil {
		return nil, named("read", name, err)
	}
	defer func() { _ = o.Close() }() // was only read
	data, err := io.ReadAll(io.LimitReader(o, maxFile))
	return data, named("read", name, err)
}

// Delete removes a file; one that is gone is fine.
func (s *S3) Delete(ctx context.Context, name string) error {
	if err := checked(name); err != nil {
		return err
	}
	return named("delete", name, s.client.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{}))
}

// named says what went wrong with which file.
func named(what, name string, err error) error {
	if err == nil {
		return nil
	}
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return ErrNone
	}
	return fmt.Errorf("%s %s: %w", what, name, err)
}
