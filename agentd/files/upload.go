package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

const (
	// uploadLife is how long an upload that stopped may go on.
	uploadLife = 48 * time.Hour
	// mostUploads is how many may be under way.
	mostUploads = 20
	// keptFree is what stays free of a disk, as for the tools of the agents.
	keptFree = 256_000_000
)

// upload is what is known of one that is under way. What has arrived stands beside it.
type upload struct {
	Act   wire.FileAct   `json:"act"`
	Parts []string       `json:"parts"`
	By    wire.DecidedBy `json:"by"`
	Begun time.Time      `json:"begun"`
	Done  bool           `json:"done,omitempty"`
	// Unkept says that what it replaced could not be kept.
	Unkept bool `json:"unkept,omitempty"`
}

var partHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// begin begins an upload that a person has signed for, or says how far one is.
func (f *Files) begin(ctx context.Context, p wire.FileUpload) (wire.FileUploading, error) {
	a := p.Act
	if uuid.Validate(a.ID) != nil || a.Do != wire.FileDoUpload {
		return wire.FileUploading{}, errAct
	}
	f.uploading.Lock()
	defer f.uploading.Unlock()
	if u, err := f.uploadOf(a.ID); err == nil {
		if u.Act != a {
			return wire.FileUploading{}, errAct
		}
		return f.state(u)
	}
	if err := f.fits(p); err != nil {
		return wire.FileUploading{}, err
	}
	if err := f.tidyUploads(); err != nil {
		return wire.FileUploading{}, err
	}
	if err := f.room(a.Size); err != nil {
		return wire.FileUploading{}, err
	}
	if err := f.allow(ctx, a, p.Signature, p.By); err != nil {
		return wire.FileUploading{}, err
	}
	u := upload{Act: a, Parts: p.Parts, By: p.By, Begun: f.d.Now().UTC()}
	if err := f.keepUpload(u); err != nil {
		return wire.FileUploading{}, f.failed(ctx, a, err)
	}
	return f.state(u)
}

// fits refuses an upload that could not end well.
func (f *Files) fits(p wire.FileUpload) error {
	a := p.Act
	if a.Size < 0 || a.Size > wire.MaxUpload {
		return tool.Refuse("This file is larger than 1 GB, which is the most that can be uploaded.")
	}
	if int64(len(p.Parts)) != partsOf(a.Size) || wire.PartsHash(a.Size, p.Parts) != a.Hash {
		return errAct
	}
	for _, h := range p.Parts {
		if !partHash.MatchString(h) {
			return errAct
		}
	}
	return f.fitsAt(a)
}

// fitsAt refuses an upload to where something else is than the person saw.
func (f *Files) fitsAt(a wire.FileAct) error {
	s, err := f.spotOf(a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return f.as(a.Path, a.Before) // the folder is made once the file is whole
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if info, err := s.Lstat(s.name); err == nil && !info.Mode().IsRegular() {
		return tool.Refuse("There is something else with the name %s here. Choose another name.", s.name)
	}
	return f.as(s.rel(), a.Before)
}

// partsOf is how many stretches a file has.
func partsOf(size int64) int64 { return (size + wire.FilePartSize - 1) / wire.FilePartSize }

// uploadPath is a file of an upload; its id was checked.
func (f *Files) uploadPath(id string, name ...string) string {
	return filepath.Join(append([]string{f.d.Root.Env().State, "uploads", id}, name...)...)
}

var errNoUpload = &wire.RPCError{Code: "not_found", Text: "This upload is not known on your server any more. Start it again."}

func (f *Files) uploadOf(id string) (upload, error) {
	var u upload
	if uuid.Validate(id) != nil {
		return u, errNoUpload
	}
	b, err := os.ReadFile(f.uploadPath(id, "meta.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return u, errNoUpload
	}
	if err == nil {
		err = json.Unmarshal(b, &u)
	}
	if err != nil {
		return u, fmt.Errorf("read upload: %w", err)
	}
	return u, nil
}

// keepUpload writes what is known of an upload.
func (f *Files) keepUpload(u upload) error {
	b, err := json.Marshal(u)
	if err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	temp := f.uploadPath(u.Act.ID, "meta.new")
	if err := os.MkdirAll(path.Dir(temp), 0o700); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	if err := os.WriteFile(temp, b, 0o600); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	if err := os.Rename(temp, f.uploadPath(u.Act.ID, "meta.json")); err != nil {
		return fmt.Errorf("keep upload: %w", err)
	}
	return nil
}

// state is how far an upload is: the stretches that have arrived stand one behind the other.
func (f *Files) state(u upload) (wire.FileUploading, error) {
	out := wire.FileUploading{ID: u.Act.ID, Done: u.Done, Next: partsOf(u.Act.Size)}
	if u.Done {
		return out, nil
	}
	info, err := os.Stat(f.uploadPath(u.Act.ID, "data"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		out.Next = 0
	case err != nil:
		return out, fmt.Errorf("look at upload: %w", err)
	case info.Size() < u.Act.Size:
		out.Next = info.Size() / wire.FilePartSize
	}
	return out, nil
}

// Recover clears what a crash left half written beside the places of uploads.
func (f *Files) Recover() {
	all, err := f.openUploads()
	for _, u := range all {
		s, e := f.spotOf(u.Act.Path)
		if e != nil {
			continue // nothing was written there
		}
		if e := s.Remove(tempPrefix + u.Act.ID); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		f.d.Log.Warn("what a crash left of uploads was not cleared", "error", err)
	}
}

// openUploads are the uploads under way.
func (f *Files) openUploads() (all []upload, err error) {
	entries, err := os.ReadDir(f.uploadPath(""))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list uploads: %w", err)
	}
	for _, e := range entries {
		if u, err := f.uploadOf(e.Name()); err == nil && !u.Done {
			all = append(all, u)
		}
	}
	return all, nil
}

// tidyUploads lets go of uploads that nobody has gone on with.
func (f *Files) tidyUploads() error {
	entries, err := os.ReadDir(f.uploadPath(""))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list uploads: %w", err)
	}
	for _, e := range entries {
		u, err := f.uploadOf(e.Name())
		if err != nil || f.d.Now().Sub(u.Begun) > uploadLife {
			if err := os.RemoveAll(f.uploadPath(e.Name())); err != nil {
				return fmt.Errorf("let go of upload: %w", err)
			}
		}
	}
	return nil
}

// room refuses an upload when there are too many, or when the disk has no room for it and for those under way. Each lies
// there twice until it is in its place.
func (f *Files) room(size int64) error {
	open, err := f.openUploads()
	if err != nil {
		return err
	}
	if len(open) >= mostUploads {
		return tool.Refuse("Too many uploads are under way. Wait until some have ended.")
	}
	needed := 2*size + keptFree
	for _, u := range open {
		needed += 2 * u.Act.Size
		if info, err := os.Stat(f.uploadPath(u.Act.ID, "data")); err == nil {
			needed -= min(info.Size(), u.Act.Size)
		}
	}
	if state, data := f.d.Free(); min(state, data) < needed {
		return tool.Refuse("There is not enough room on the disk of your server for this file.")
	}
	return nil
}
