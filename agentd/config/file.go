package config

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// PermissionsFile is where the rules stand in the state directory.
const PermissionsFile = "config/permissions.yaml"

// lookEvery is how often the file is looked at for a change made on the machine.
const lookEvery = 2 * time.Second

// maxFile bounds what is read of the file at all.
const maxFile = 1 << 20

// firstText is the file of a server without rules.
const firstText = `# What the agents of this server may do, besides the table of tiers. Deny beats ask beats allow.
# Nothing here makes a tier looser than the table: what is red or critical stays asked, what is forbidden stays so.
version: 1
rules: []
`

// Watch keeps the file and the rules in force the same until ctx ends: what was set is written to it, and what was
// edited on the machine is put in force when it can be read, else the last good rules stay and the owner is told.
func (l *Live) Watch(ctx context.Context, warn func(error)) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := l.Look(ctx); err != nil && ctx.Err() == nil {
			warn(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Look compares the file with the rules in force once.
func (l *Live) Look(ctx context.Context) error {
	path := filepath.Join(l.db.Dir(), PermissionsFile)
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l.writeFile(path)
	}
	if err != nil {
		return err
	}
	if text == l.fileText() {
		return nil
	}
	known, err := l.isOld(ctx, text)
	if err != nil {
		return err
	}
	if known {
		return l.writeFile(path)
	}
	return l.edited(ctx, text)
}

func readFile(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("permissions: %s is no plain file of at most %d bytes", path, maxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("permissions: %w", err)
	}
	return string(b), nil
}

// fileText is what the file should hold.
func (l *Live) fileText() string {
	return l.textOf(l.State())
}

// isOld says whether a text is that of an earlier version: then the file was not written yet, and nobody edited it. To
// go back to it, it has to be set.
func (l *Live) isOld(ctx context.Context, text string) (bool, error) {
	if text == firstText {
		return true, nil
	}
	var n int
	err := l.db.Read().QueryRowContext(ctx, "SELECT count(*) FROM permission_versions WHERE text = ?", text).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find permissions: %w", err)
	}
	return n > 0, nil
}

// writeFile puts the rules in force into the file, whole or not at all.
func (l *Live) writeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(l.fileText()), 0o600); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	return nil
}

// edited takes a text that somebody wrote on the machine.
func (l *Live) edited(ctx context.Context, text string) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("permissions: %w", err)
	}
	_, bad := policy.ParseManifest([]byte(text))
	if bad != nil {
		return l.invalid(ctx, text, bad)
	}
	l.setProblem("")
	p := wire.PermissionsSet{ID: id.String(), Base: l.State().rules.version, Text: text, Reason: "edited on the server", By: wire.Origin{Channel: OnServer}}
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := l.Set(ctx, tx, p) // a conflict is looked at again the next time
		return err
	})
}

// invalid keeps the last good rules and tells the owner, once for each text.
func (l *Live) invalid(ctx context.Context, text string, why error) error {
	problem := fmt.Sprintf("%s (sha256 %x)", why, sha256.Sum256([]byte(text)))
	if !l.setProblem(problem) {
		return nil
	}
	return l.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := l.log.Append(tx, receipt.Entry{Type: "permissions.refused", Body: map[string]any{"why": problem, "by": wire.Origin{Channel: OnServer}}}); err != nil {
			return err
		}
		return l.out.Put(ctx, tx, wire.TypeAlert, wire.Alert{
			Kind: "permissions_invalid", Severity: "medium", Time: l.now().UTC(),
			Text: "The rules on the server were edited and cannot be read; the ones before stay in force. " + why.Error(),
		})
	})
}

// setProblem remembers why the file is not in force, and says whether that is news.
func (l *Live) setProblem(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	news := l.problem != s
	l.problem = s
	return news
}
