package envupdate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
)

// open opens the folder of a file whose settings change. A secret is bound to a file by its name, and a link could make any
// file bear that name: what is to hold one is named where it really lies.
func (t *Tool) open(rel string, updates map[string]string) (*dataroot.Folder, error) {
	folder, err := t.root.Folder(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	real := folder.Path(path.Base(rel))
	if real == rel || !refers(updates) {
		return folder, nil
	}
	_ = folder.Close() // nothing was written
	return nil, tool.Refuse("%s lies behind a link, at %s. A secret goes into a file by its own name only. Nothing was changed: name that file, for which the owner has to bind the secret too.", rel, real)
}

// refers says whether a value holds a reference to a secret, or could.
func refers(updates map[string]string) bool {
	for _, v := range updates {
		if names, err := gate.Refs(v); err != nil || len(names) > 0 {
			return true
		}
	}
	return false
}

// replace writes the new content next to the file, with its mode, and puts it in its place.
func (t *Tool) replace(callID, rel, text string, updates map[string]string) error {
	folder, err := t.open(rel, updates)
	if err != nil {
		return err
	}
	defer folder.Close()
	temp := ".gatehouse-" + callID
	done, err := t.note(callID, folder.Path(temp))
	if err != nil {
		return err
	}
	if err := folder.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return dataroot.Explain(rel, err)
	}
	if err := folder.Replace(path.Base(rel), temp, []byte(text), 0o600); err != nil {
		return dataroot.Explain(rel, err)
	}
	return done()
}

// note keeps the name of a file that a crash could leave, until it is gone.
func (t *Tool) note(callID, temp string) (done func() error, err error) {
	if callID == "" || strings.ContainsAny(callID, "/\\.") {
		return nil, fmt.Errorf("env_update: call id %q is no name", callID)
	}
	if err := os.MkdirAll(t.journal, 0o700); err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	name := filepath.Join(t.journal, callID)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	_, err = f.WriteString(temp)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("env_update: %w", err)
	}
	return func() error { return os.Remove(name) }, nil
}

// recover removes what a crash has left: it may hold secrets.
func (t *Tool) recover() error {
	left, err := os.ReadDir(t.journal)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range left {
		name := filepath.Join(t.journal, e.Name())
		temp, rerr := os.ReadFile(name)
		if rerr == nil {
			rerr = t.clear(string(temp))
		}
		if rerr == nil {
			rerr = os.Remove(name)
		}
		err = errors.Join(err, rerr)
	}
	return err
}

func (t *Tool) clear(temp string) error {
	folder, err := t.root.Folder(path.Dir(temp))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	if !strings.HasPrefix(path.Base(temp), ".gatehouse-") {
		return nil
	}
	if err := folder.Remove(path.Base(temp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
