package channel

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/uuid"

	"gatehouse/agentd/tool"
)

// SentFile is a file that goes with a letter. What is sent is the copy that was made of it when the letter was written, or nothing.
type SentFile struct {
	Name   string `json:"name"`
	Path   string `json:"path"` // beneath the data folder, where it lay
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // hex
}

// copies are the files of letters that wait, each letter's in a folder of its own. Nobody but this program reads them.
type copies struct{ dir string }

// keep copies the n-th file of a letter, durably.
func (c copies) keep(letter string, n int, data []byte) (err error) {
	dir := filepath.Join(c.dir, letter)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep a file that is to be sent: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(n)), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep a file that is to be sent: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep a file that is to be sent: %w", err)
	}
	return nil
}

// read gives the files of a letter, if they are what was approved.
func (c copies) read(letter string, files []SentFile) (all []File, err error) {
	for n, f := range files {
		data, err := os.ReadFile(filepath.Join(c.dir, letter, strconv.Itoa(n)))
		if err != nil || int64(len(data)) != f.Bytes || sumOf(data) != f.SHA256 {
			return nil, tool.Refuse("The copy of %s is not what it was. Nothing was sent.", f.Name)
		}
		all = append(all, File{Name: f.Name, Data: data})
	}
	return all, nil
}

// drop removes the files of a letter.
func (c copies) drop(letter string) error {
	if err := os.RemoveAll(filepath.Join(c.dir, letter)); err != nil {
		return fmt.Errorf("remove a file that was sent: %w", err)
	}
	return nil
}

// letters are the ids of letters of which there are files.
func (c copies) letters() (ids []string, err error) {
	if c.dir == "" {
		return nil, nil
	}
	all, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list files that are to be sent: %w", err)
	}
	for _, e := range all {
		if uuid.Validate(e.Name()) == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
