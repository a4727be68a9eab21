package team

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gatehouse/agentd/team/merge"
)

const (
	// laidOut marks a folder in which the agents that a server begins with were laid out.
	laidOut = ".laid-out"
	// sums is what earlier versions knew of the templates: SHA-256 by path.
	sums = ".installed.json"
)

// Install makes the agents in dir ready with the templates of this version: see Folders.Ready.
func Install(dir string) error { return Folders{dir, Shipped()}.Ready() }

// Ready lays out the agents that a server begins with, once, and brings files that nobody has edited up to date with their
// templates. What the owner has edited, removed or put away stays so. An agent that cannot be brought up to date stays as it is,
// and is in the error; the others are ready all the same.
func (f Folders) Ready() error {
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return fmt.Errorf("install agents: %w", err)
	}
	known, err := f.knownSums()
	if err != nil {
		return err
	}
	if err := f.layOut(known != nil); err != nil {
		return fmt.Errorf("install agents: %w", err)
	}
	ids, err := f.Members()
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if err := errors.Join(f.adopt(id, known), f.renew(id)); err != nil {
			faults = append(faults, fmt.Errorf("agent %s: %w", id, err))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("bring agents up to date: %w", errors.Join(faults...))
	}
	if err := os.Remove(filepath.Join(f.Dir, sums)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("install agents: %w", err)
	}
	return nil
}

// layOut puts the first agents into the team. Without the dispatcher nobody could be talked to: it comes back.
func (f Folders) layOut(known bool) error {
	mark, first := filepath.Join(f.Dir, laidOut), []string{Dispatcher}
	if !known && !there(mark) {
		first = starters
	}
	for _, id := range first {
		if there(filepath.Join(f.Dir, id)) || there(filepath.Join(f.Dir, archiveFolder, id)) {
			continue
		}
		files, err := f.Library.Files(id)
		if err != nil {
			return err
		}
		if err := f.Prepare(id, files, files); err != nil {
			return err
		}
		if err := f.Put(id, id); err != nil {
			return err
		}
	}
	return write(mark, "")
}

// knownSums reads what an earlier version knew; nil when there was none.
func (f Folders) knownSums() (known map[string]string, err error) {
	b, err := os.ReadFile(filepath.Join(f.Dir, sums))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	if err := json.Unmarshal(b, &known); err != nil || known == nil {
		known = map[string]string{} // what it said is lost: everything counts as edited, and nothing is overwritten
	}
	return known, nil
}

// adopt gives an agent that an earlier version laid out the texts that its files were made of, as far as they are known.
func (f Folders) adopt(id string, known map[string]string) error {
	base := filepath.Join(f.Dir, id, baseFolder)
	if known == nil || there(base) {
		return nil
	}
	shipped, err := f.Library.Files(id)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	have, err := f.Read(id)
	if err != nil {
		return err
	}
	made := base + ".new"
	if err := errors.Join(os.RemoveAll(made), os.MkdirAll(made, 0o700)); err != nil {
		return err
	}
	for name, text := range madeOf(have, shipped, func(name string) string { return known[id+"/"+name] }) {
		if err := write(filepath.Join(made, name), text); err != nil {
			return err
		}
	}
	return move(made, base)
}

// madeOf are the texts that files were made of, of which was knows the sums. One that is known no more is empty: then nothing of
// the owner's is taken for a text of the template.
func madeOf(have, shipped Files, was func(name string) string) Files {
	base := Files{}
	for name, text := range shipped {
		now, is := have[name]
		switch was := was(name); {
		case was == "":
		case is && sum(now) == was:
			base[name] = now
		case sum(text) == was:
			base[name] = text
		default:
			base[name] = ""
		}
	}
	return base
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// renew brings the files that nobody has edited up to date, each in one step; a crash between a file and its base leaves a file
// that is as its template has it, which counts as not edited.
func (f Folders) renew(id string) error {
	if !there(filepath.Join(f.Dir, id, baseFolder)) {
		return nil // it is not of the library
	}
	shipped, err := f.Library.Files(id)
	if errors.Is(err, ErrUnknown) {
		return nil // a later version had it
	}
	if err != nil {
		return err
	}
	have, base, err := f.both(id)
	if err != nil {
		return err
	}
	for _, name := range FileNames {
		if err := f.renewFile(id, name, have, base, shipped); err != nil {
			return err
		}
	}
	return nil
}

func (f Folders) both(id string) (have, base Files, err error) {
	if have, err = f.Read(id); err != nil {
		return nil, nil, err
	}
	base, err = f.Base(id)
	return have, base, err
}

func (f Folders) renewFile(id, name string, have, base, shipped Files) error {
	text, is := shipped[name]
	was, made := base[name]
	now, here := have[name]
	path, of := filepath.Join(f.Dir, id, name), filepath.Join(f.Dir, id, baseFolder, name)
	switch {
	case !is && made: // the template has it no more
		if here && now == was {
			return errors.Join(os.Remove(path), os.Remove(of))
		}
		return os.Remove(of) // edited: it is the owner's from now on
	case !is, here && now == text && made && was == text:
		return nil
	case here && now == text:
		return write(of, text)
	case here && (!made || now != was): // edited
		return nil
	case !here && made && name != descriptor: // removed by the owner
		return nil
	}
	return errors.Join(write(path, text), write(of, text))
}

// Update is a file that the owner has edited and whose template says something else than when it was made.
type Update struct {
	Name, Yours, Shipped, Merged string
	Conflicts                    int
}

// Updates lists the files of an agent that its template would change and that the owner has edited.
func (f Folders) Updates(id string) ([]Update, error) {
	if !there(filepath.Join(f.Dir, id, baseFolder)) {
		return nil, nil
	}
	shipped, err := f.Library.Files(id)
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	have, base, err := f.both(id)
	if err != nil {
		return nil, err
	}
	var all []Update
	for _, name := range slices.DeleteFunc(slices.Clone(FileNames), func(n string) bool { return shipped[n] == base[n] }) {
		yours, is := have[name]
		if !is || yours == shipped[name] {
			continue
		}
		u := Update{Name: name, Yours: yours, Shipped: shipped[name]}
		u.Merged, u.Conflicts = merge.Texts(base[name], yours, u.Shipped)
		all = append(all, u)
	}
	return all, nil
}
