package main

import (
	"context"
	"errors"
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
	if k.inBucket() {
		return objectstore.NewS3(k.parts.bucket())
	}
	return k.folder(), nil
}

func (k kept) inBucket() bool { return k.parts.settings.Text(setting.FilesIn)() == "s3" }

func (k kept) folder() staff.Files { return objectstore.Folder{Dir: k.dir} }

// before is where files may still lie that were kept before the setting was changed; nil: nowhere.
func (k kept) before() (staff.Files, error) {
	at := k.parts.bucket()
	switch {
	case k.inBucket():
		return k.folder(), nil
	case at.Endpoint == "" || at.Bucket == "" || at.Key == "":
		return nil, nil
	}
	return objectstore.NewS3(at)
}

// Put keeps a file.
func (k kept) Put(ctx context.Context, name string, data []byte) error {
	f, err := k.now()
	if err != nil {
		return err
	}
	return f.Put(ctx, name, data)
}

// Get reads a file. One that lies where files were kept before is brought to where they are kept now.
func (k kept) Get(ctx context.Context, name string) ([]byte, error) {
	f, err := k.now()
	if err != nil {
		return nil, err
	}
	data, err := f.Get(ctx, name)
	if !errors.Is(err, objectstore.ErrNone) {
		return data, err
	}
	from, fromErr := k.before()
	if fromErr != nil || from == nil {
		return nil, errors.Join(err, fromErr)
	}
	if data, err = from.Get(ctx, name); err != nil {
		return nil, err
	}
	if err := f.Put(ctx, name, data); err != nil {
		return nil, err
	}
	return data, from.Delete(ctx, name)
}

// Delete removes a file, wherever it lies.
func (k kept) Delete(ctx context.Context, name string) error {
	f, err := k.now()
	if err != nil {
		return err
	}
	from, err := k.before()
	if err == nil && from != nil {
		err = from.Delete(ctx, name)
	}
	return errors.Join(f.Delete(ctx, name), err)
}
