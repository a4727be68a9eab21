package team

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed templates
var templates embed.FS

// manifest is the file in the agents folder that remembers what was installed: SHA-256 by path.
const manifest = ".installed.json"

// Install copies the templates into dir (the state directory's agents folder), and brings files that nobody has
// edited up to date. What the owner has edited or removed stays so.
func Install(dir string) error {
	shipped, err := fs.Sub(templates, "templates")
	if err != nil {
		return fmt.Errorf("templates: %w", err)
	}
	known, err := readManifest(dir)
	if err != nil {
		return err
	}
	err = fs.WalkDir(shipped, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		body, err := fs.ReadFile(shipped, name)
		if err != nil {
			return err
		}
		return install(dir, name, body, known)
	})
	if err != nil {
		return fmt.Errorf("install agents: %w", err)
	}
	return writeManifest(dir, known)
}

func install(dir, name string, body []byte, known map[string]string) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	have, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	was, installed := known[name]
	if (missing && installed && !strings.HasSuffix(name, descriptor)) || (!missing && sum(have) != was) {
		return nil // removed or edited by the owner
	}
	known[name] = sum(body)
	if !missing && was == known[name] {
		return nil
	}
	return write(path, body)
}

func readManifest(dir string) (map[string]string, error) {
	known := map[string]string{}
	b, err := os.ReadFile(filepath.Join(dir, manifest))
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read agents: %w", err)
	}
	if err := json.Unmarshal(b, &known); err != nil {
		return nil, fmt.Errorf("read agents: %s: %w", manifest, err)
	}
	return known, nil
}

func writeManifest(dir string, known map[string]string) error {
	b, err := json.MarshalIndent(known, "", "  ")
	if err != nil {
		return fmt.Errorf("install agents: %w", err)
	}
	if err := write(filepath.Join(dir, manifest), b); err != nil {
		return fmt.Errorf("install agents: %w", err)
	}
	return nil
}

// write replaces a file in one step, so that a crash leaves the old or the new one.
func write(path string, body []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := os.WriteFile(tmp, body, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
