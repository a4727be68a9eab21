package devmail

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Keep is how many mails stay; older ones are removed.
const Keep = 500

// ErrNotFound says that no mail has that id.
var ErrNotFound = errors.New("no such mail")

// Store keeps mails as files named by id, newest last in the order of names.
type Store struct {
	dir string
	now func() time.Time

	Team *Mailbox // of the demo's team; nil: there is none
}

// OpenStore keeps mails in dir, which it makes when missing.
func OpenStore(dir string, now func() time.Time) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("mail folder: %w", err)
	}
	return &Store{dir: dir, now: now}, nil
}

// Add keeps one mail and its envelope, whole or not at all, and forgets the oldest beyond Keep.
func (s *Store) Add(from string, to []string, raw []byte) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("mail id: %w", err)
	}
	envelope := fmt.Sprintf("X-Envelope-From: %s\r\nX-Envelope-To: %s\r\nX-Received: %s\r\n", line(from), line(strings.Join(to, ", ")), s.now().UTC().Format(time.RFC3339))
	tmp := filepath.Join(s.dir, "."+id.String())
	if err := os.WriteFile(tmp, append([]byte(envelope), raw...), 0o600); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	if err := os.Rename(tmp, s.path(id.String())); err != nil {
		return fmt.Errorf("keep mail: %w", err)
	}
	return s.trim()
}

// IDs lists the mails, newest first.
func (s *Store) IDs() ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, fmt.Errorf("list mail: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".eml"); ok && idForm.MatchString(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids) // UUIDv7 sorts by time
	slices.Reverse(ids)
	return ids, nil
}

// Raw is a mail as it came, below three X- lines of envelope.
func (s *Store) Raw(id string) ([]byte, error) {
	if !idForm.MatchString(id) {
		return nil, ErrNotFound
	}
	b, err := os.ReadFile(s.path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	return b, err
}

func (s *Store) trim() error {
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	for _, id := range ids[min(len(ids), Keep):] {
		if err := os.Remove(s.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget mail: %w", err)
		}
	}
	return nil
}

var idForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func (s *Store) path(id string) string { return filepath.Join(s.dir, id+".eml") }

// line keeps an envelope value on its line.
func line(v string) string { return strings.NewReplacer("\r", " ", "\n", " ").Replace(v) }
