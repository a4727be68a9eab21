package team

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gatehouse/agentd/failpoint"
)

// What stands in the folder of the agents beside them. A name that begins with a dot is no agent's.
const (
	baseFolder     = ".base"    // in an agent's folder: the texts of the template that its files were made of
	archiveFolder  = ".archive" // agents that were put away
	preparedFolder = ".new"     // what an act will put into its place, by act
	replacedFolder = ".old"     // what an act has taken from there, until it is done
)

// maxFile bounds one file of an agent, so that nobody reads a disk full of it.
const maxFile = 64 << 10

// idForm is what an agent can be called: it names a folder, and stands in addresses.
var idForm = regexp.MustCompile(`^[a-z][a-z0-9-]{1,39}$`)

// Folders are the agents of a server on its disk, and those that were put away. One goroutine changes them at a time.
type Folders struct {
	Dir     string // the state directory's agents folder
	Library Library
}

// Members lists the agents of the team, the dispatcher first.
func (f Folders) Members() ([]string, error) { return folders(f.Dir) }

// Archived lists those that were put away.
func (f Folders) Archived() ([]string, error) {
	ids, err := folders(filepath.Join(f.Dir, archiveFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return ids, err
}

func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			ids = append(ids, e.Name())
		}
	}
	slices.SortFunc(ids, byID)
	return ids, nil
}

// Read gives the files of an agent of the team, or ErrUnknown.
func (f Folders) Read(id string) (Files, error) { return readAgent(f.Dir, id) }

// ReadArchived gives the files of an agent that was put away, or ErrUnknown.
func (f Folders) ReadArchived(id string) (Files, error) {
	return readAgent(filepath.Join(f.Dir, archiveFolder), id)
}

// readAgent reads an agent of a folder, and nothing beside it.
func readAgent(dir, id string) (Files, error) {
	if !isFolder(id) {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return readFiles(filepath.Join(dir, id))
}

// isFolder says whether an id can name a folder in that of the agents.
func isFolder(id string) bool {
	return id != "" && !strings.HasPrefix(id, ".") && !strings.ContainsAny(id, "/\\\x00")
}

// Base gives the texts of the template that an agent's files were made of; none for an agent of the owner's own.
func (f Folders) Base(id string) (Files, error) {
	base, err := readFiles(filepath.Join(f.Dir, id, baseFolder))
	if errors.Is(err, ErrUnknown) {
		return nil, nil
	}
	return base, err
}

// Made says whether an agent of the team, or one that was put away, was made of a template.
func (f Folders) Made(id string) bool {
	return isFolder(id) && (there(filepath.Join(f.Dir, id, baseFolder)) || there(filepath.Join(f.Dir, archiveFolder, id, baseFolder)))
}

func readFiles(dir string) (Files, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, filepath.Base(dir))
	}
	all := Files{}
	for _, name := range FileNames {
		text, err := readFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = text
	}
	return all, nil
}

// errLarge says that a file is none of an agent's.
var errLarge = fmt.Errorf("it is larger than %d bytes", maxFile)

func readFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", plain(err)
	case !info.Mode().IsRegular():
		return "", errors.New("it is no plain file")
	case info.Size() > maxFile:
		return "", errLarge
	}
	b, err := os.ReadFile(path)
	return string(b), plain(err)
}

// plain leaves out where a file lies: the reason is shown to people.
func plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// Prepare lays out what an act will put into its place, safely on the disk. Nothing else changes.
func (f Folders) Prepare(act string, files, base Files) error {
	dir := filepath.Join(f.Dir, preparedFolder, act)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("prepare agent: %w", err)
	}
	for folder, texts := range map[string]Files{dir: files, filepath.Join(dir, baseFolder): base} {
		for name, text := range texts {
			if err := write(filepath.Join(folder, name), text); err != nil {
				return errors.Join(fmt.Errorf("prepare agent: %w", err), os.RemoveAll(dir))
			}
		}
	}
	return nil
}

// Drop removes what was prepared for an act that does not happen.
func (f Folders) Drop(act string) error {
	return os.RemoveAll(filepath.Join(f.Dir, preparedFolder, act))
}

// Prepared lists the acts that something is prepared for.
func (f Folders) Prepared() ([]string, error) {
	acts, err := folders(filepath.Join(f.Dir, preparedFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return acts, err
}

// Put moves what was prepared for an act to an agent's place. It may be repeated, and goes on where it was cut off: the agent's
// folder is the earlier one or the new one, and only between two renames neither.
func (f Folders) Put(act, id string) error {
	prepared, place := filepath.Join(f.Dir, preparedFolder, act), filepath.Join(f.Dir, id)
	replaced := filepath.Join(f.Dir, replacedFolder, act)
	if there(prepared) {
		if there(place) {
			if err := move(place, replaced); err != nil {
				return err
			}
		}
		failpoint.Hit("team-taken")
		if err := move(prepared, place); err != nil {
			return err
		}
	}
	failpoint.Hit("team-put")
	return os.RemoveAll(replaced)
}

// Archive puts an agent away; Restore takes it back. Both may be repeated.
func (f Folders) Archive(id string) error {
	return shift(filepath.Join(f.Dir, id), filepath.Join(f.Dir, archiveFolder, id))
}

// Restore takes an agent back that was put away.
func (f Folders) Restore(id string) error {
	return shift(filepath.Join(f.Dir, archiveFolder, id), filepath.Join(f.Dir, id))
}

func shift(from, to string) error {
	if !there(from) && there(to) {
		return nil // it was done before
	}
	return move(from, to)
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// move renames a folder and makes that last.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return errors.Join(syncFolder(filepath.Dir(from)), syncFolder(filepath.Dir(to)))
}

// write replaces a file in one step, so that a crash leaves the old or the new one.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := writeSynced(tmp, text); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func writeSynced(path, text string) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	return file.Sync()
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
