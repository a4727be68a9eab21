package main

import (
	"context"
	"path/filepath"

	"gatehouse/app/provider/objectstore"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
)

// kept keeps files where the settings say.
type kept struct {
	parts *parts
	dir   string
}

var _ staff.Files = kept{}

// filesOf keeps files in the data folder of the hub, or in a bucket.
func (p *parts) filesOf(cfg config) kept { return kept{p, filepath.Join(cfg.Dir, "files")} }

// bucket is where files are kept that do not lie in a folder.
func (p *parts) bucket() objectstore.Access {
	s := p.settings
	return objectstore.Access{
		Endpoint: s.Text(setting.FilesEndpoint)(), Region: s.Text(setting.FilesRegion)(), Bucket: s.Text(setting.FilesBucket)(),
		KeyID: s.Text(setting.FilesKeyID)(), Key: s.Text(setting.FilesKey)(),
	}
}

func (k kept) now() (staff.Files, error) {
	if k.parts.settings.Text(setting.FilesIn)() == "s3" {
		return objectstore.NewS3(k.parts.bucket())
	}
	return objectstore.Folder{Dir: k.dir}, nil
}

// Put keeps a file.
func (k kept) Put(ctx context.Context, name string, data []byte) error {
	f, err := k.now()
	if err != nil {
		return err
	}
	return f.Put(ctx, name, data)
}

// Get reads a file.
func (k kept) Get(ctx context.Context, name string) ([]byte, error) {
	f, err := k.now()
	if err != nil {
		return nil, err
	}
	return f.Get(ctx, name)
}

// Delete removes a file.
func (k kept) Delete(ctx context.Context, name string) error {
	f, err := k.now()
	if err != nil {
		return err
	}
	return f.Delete(ctx, name)
}
